import { HttpAgent } from "@ag-ui/client";
import { loopwireAgent } from "./agent.js";

export { loopwireAgent };

export const LoopwireAgent = loopwireAgent(HttpAgent);
