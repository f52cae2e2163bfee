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

/** Access to an application on a network server. */
export interface Access {
  readonly ask: Ask
  readonly application: string
  /** the address of the settings */
  readonly url: string
}

/** How to reach the devices of an application on one kind of network server. All methods throw like `Ask`. */
export interface RemoteProtocol {
  /** authentication headers */
  headers(key: string): Record<string, string>
  list(access: Access, page: PageWanted): Promise<RemotePage>
  /** A device by its id on the network server; undefined when the application has no such device. */
  get(access: Access, remoteId: string): Promise<RemoteDevice | undefined>
  /** A device by its external id; undefined when the application has no such device. */
  find(access: Access, externalId: string): Promise<RemoteDevice | undefined>
  /** Deletes a device that was found. A device that is already gone counts as deleted. */
  remove(access: Access, device: RemoteDevice): Promise<void>
}
