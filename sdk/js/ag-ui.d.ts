import { HttpAgent, type HttpAgentConfig } from "@ag-ui/client";

export interface LoopwireAgentConfig extends HttpAgentConfig {
  /**
   * `sessionStorage`, or what is like it: keeps the `resume_token` of each thread over a reload, which opens its conversation
   * for 30 days. A page of Loopwire's own origin has a cookie instead, and needs none.
   */
  storage?: { getItem(key: string): string | null; setItem(key: string, value: string): void };
}

/** AG-UI's HttpAgent, for pages without cookies; its `abortRun` stops the answer at the server. */
export class LoopwireAgent extends HttpAgent {
  constructor(config: LoopwireAgentConfig);
  clone(): LoopwireAgent;
  /** The conversation of this thread, from its last RUN_STARTED; empty before. */
  readonly known: { session_id?: string; resume_token?: string };
}

/** The same on another `HttpAgent`: that of CopilotKit or assistant-ui, which have versions of their own. */
export function loopwireAgent<Agent extends abstract new (config: any) => any>(
  agent: Agent,
): new (config: ConstructorParameters<Agent>[0] & Pick<LoopwireAgentConfig, "storage">) => InstanceType<Agent> &
  Pick<LoopwireAgent, "known">;
