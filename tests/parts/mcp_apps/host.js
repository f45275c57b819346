import { AppBridge, PostMessageTransport, buildAllowAttribute } from "@modelcontextprotocol/ext-apps/app-bridge";

// A host of MCP Apps: it shows a resource behind a proxy on another origin, by the published side of a host.
window.host = { opened: [], failures: [], heights: [], isReady: false };

/** Show a resource; `way` is how the proxy fills the inner frame, `flags` are those of its sandbox. */
window.show = ({ resource, proxy, way, flags, context, capabilities, call }) => {
  const { html, csp = {}, permissions, prefersBorder } = resource;
  const frame = document.createElement("iframe");
  const bridge = new AppBridge(null, { name: "host", version: "1" }, capabilities, { hostContext: context });
  Object.assign(host, { bridge, frame });
  frame.title = "App";
  frame.sandbox = "allow-scripts allow-same-origin allow-forms";
  frame.allow = buildAllowAttribute(permissions);
  frame.style = `width: 100%; height: 200px; border: ${prefersBorder ? 1 : 0}px solid`;
  document.body.append(frame);
  bridge.onerror = (error) => host.failures.push(String(error));
  bridge.onopenlink = async ({ url }) => (host.opened.push(url), {});
  bridge.addEventListener("sandboxready", () => bridge.sendSandboxResourceReady({ html, csp, permissions, sandbox: flags }));
  bridge.addEventListener("sizechange", ({ height }) => {
    host.heights.push(height);
    frame.style.height = `${height}px`;
  });
  bridge.addEventListener("initialized", async () => {
    host.isReady = true;
    host.app = bridge.getAppVersion();
    await bridge.sendToolInput({ arguments: call.arguments });
    await bridge.sendToolResult(call.result);
  });
  const opened = bridge.connect(new PostMessageTransport(frame.contentWindow, frame.contentWindow));
  const query = new URLSearchParams({ way, policy: policy(csp) });
  return opened.then(() => (frame.src = `${proxy}/proxy?${query}`));
};

/** Return the policy of a View: what its resource declares, and nothing else. */
function policy({ connectDomains = [], resourceDomains = [], frameDomains = [] }) {
  const resources = resourceDomains.join(" ");
  return [
    "default-src 'none'",
    `script-src 'self' 'unsafe-inline' ${resources}`,
    `style-src 'self' 'unsafe-inline' ${resources}`,
    `img-src 'self' data: ${resources}`,
    `font-src 'self' ${resources}`,
    `media-src 'self' data: ${resources}`,
    `connect-src ${connectDomains.join(" ") || "'none'"}`,
    `frame-src ${frameDomains.join(" ") || "'none'"}`,
    "object-src 'none'",
    "base-uri 'self'",
  ].join("; ");
}
