import type { RemoteDevice } from '@leitstand/contract/remote'
import type { Ask } from './ask.ts'

/** One page of the devices of an application. */
export interface RemotePage {
  readonly items: readonly RemoteDevice[]
  readonly total: number
}

/** `offset` is a multiple of `limit`. */
export interface PageWanted {
  readonly search: string
  readonly offset: number
  readonly limit: number
}

/** Access to an application of a network server. */
export interface Access {
  readonly ask: Ask
  readonly application: string
  /** the address of the settings */
  readonly url: string
}

/** How the devices of an application are reached at one kind of network server. All of them throw as `Ask` does. */
export interface RemoteProtocol {
  /** headers that say who asks */
  headers(key: string): Record<string, string>
  list(access: Access, page: PageWanted): Promise<RemotePage>
  /** A device by its name there; undefined when the application has no such device. */
  get(access: Access, remoteId: string): Promise<RemoteDevice | undefined>
  /** A device by what it is known by here; undefined when the application has no such device. */
  find(access: Access, externalId: string): Promise<RemoteDevice | undefined>
  /** Deletes a device that was found. What is gone already counts as deleted. */
  remove(access: Access, device: RemoteDevice): Promise<void>
}
