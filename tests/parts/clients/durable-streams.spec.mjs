// The suite of Durable Streams, at the address in the environment; vitest is told which of its tests are of the read half.
import { runConformanceTests } from "@durable-streams/server-conformance-tests";

runConformanceTests({ baseUrl: process.env.CONFORMANCE_TEST_URL, longPollTimeoutMs: 20_000 });
