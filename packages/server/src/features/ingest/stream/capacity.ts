/** What the server that leads the stream says of it. */
export interface StreamState {
  first_seq: number
  last_seq: number
  messages: number
  bytes: number
}

/** A stream smaller than this would be full of what idle partitions cannot be sure of. */
const messagesMin = 100_000
const messagesMax = 200_000_000
/** What a message takes on average, until it is known. */
const assumedBytes = 2_048
/** Messages from which on their average length is known well enough. */
const sampleMin = 10_000
/** The door closes before NATS removes what waits: it looks only once a second. */
const usedMax = 7 / 8
/** Bytes that may come in between two looks. */
const lookBytes = 67_108_864

/**
 * How many messages the stream holds before NATS removes the oldest ones: so many that it has about the bytes it may have.
 * NATS counts messages and not bytes, because only then it is known which of them it removes next.
 * @param bytesMax NATS_STREAM_MB
 * @param state null before there is a stream
 * @param now how many it holds at most now; 0 before there is a stream
 * @param waiting messages that are not stored yet
 * @returns `now`, unless it is far from right
 */
export function messagesOf(
  bytesMax: number,
  state: StreamState | null,
  now: number,
  waiting: number,
): number {
  const isKnown = state !== null && state.messages >= sampleMin
  const average = isKnown ? Math.max(1, state.bytes / state.messages) : assumedBytes
  const fitting = Math.max(messagesMin, 2 * waiting, Math.min(messagesMax, Math.floor(bytesMax / average)))
  if (now > 0 && !isKnown) return now
  return now > 0 && fitting > now * 0.8 && fitting < now * 1.25 ? now : fitting
}

/**
 * Whether no more may be put into the stream.
 * @param capacity how many messages it holds at most
 * @param committed number of a message up to which everything is stored
 */
export function isStreamFull(
  bytesMax: number,
  state: StreamState,
  capacity: number,
  committed: number,
): boolean {
  const waiting = waitingIn(state, committed)
  if (waiting <= 0) return false
  if (waiting >= capacity * usedMax) return true
  const waitingBytes = (state.bytes / state.messages) * waiting
  return waitingBytes >= bytesMax || state.bytes >= 2 * bytesMax + lookBytes
}

/** Whether so much waits that a door which cannot look any more has to close at once. */
export function isStreamHalfFull(state: StreamState, capacity: number, committed: number): boolean {
  return waitingIn(state, committed) >= capacity / 2
}

function waitingIn(state: StreamState, committed: number): number {
  return Math.min(state.messages, state.last_seq - committed)
}
