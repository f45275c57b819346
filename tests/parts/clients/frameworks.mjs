// Lets the SDK find the frameworks that stand beside it in a page: those that the tests have installed.
import { registerHooks } from "node:module";

/** Look for them from this folder on. */
export function frameworksFrom(folder) {
    const parentURL = new URL(folder, import.meta.url).href;
    registerHooks({
        resolve(specifier, context, next) {
            const asked = context.parentURL?.includes("/sdk/js/") && !/^[.]|^node:|^file:/.test(specifier);
            return next(specifier, asked ? { ...context, parentURL } : context);
        },
    });
}
