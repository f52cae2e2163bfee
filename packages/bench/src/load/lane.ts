import type { SimulatedDevice } from './uplinks.ts'

/** An uplink in flight. */
export interface Sent {
  readonly device: SimulatedDevice
  readonly body: string
}

/** A connection to the platform. */
export interface Lane extends AsyncDisposable {
  /** maximum messages in flight */
  readonly window: number
  /** @returns whether it was acknowledged; false if it was rejected or the connection broke first */
  send(message: Sent): Promise<boolean>
}
