import type { SimulatedDevice } from './uplinks.ts'

/** An uplink on its way. */
export interface Sent {
  readonly device: SimulatedDevice
  readonly body: string
}

/** A connection to the platform. */
export interface Lane extends AsyncDisposable {
  /** messages it has on the way at a time at most */
  readonly window: number
  /**
   * @returns whether it was acknowledged; false when it was refused or the connection broke before the answer
   */
  send(message: Sent): Promise<boolean>
}
