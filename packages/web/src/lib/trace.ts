/** What a trace can begin with: times in ISO 8601, as the server returned them. */
export type TraceStart =
  | { packet: number; device: number; at: string }
  | { state: number; at: string }
  /** a refused message; `identifier` as it said, which finds its packet once it was processed again */
  | { letter: number; connector: number; at: string; identifier?: string }
  | { execution: number }
  | { mail: number }
  | { alarm: number }

/** The screen that shows what became of it, and where it came from. */
export function tracePath(start: TraceStart): string {
  return `/trace?${new URLSearchParams(Object.entries(start).map(([name, value]) => [name, String(value)]))}`
}
