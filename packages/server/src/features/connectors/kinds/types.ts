import type { ConnectorState, Preset } from '@leitstand/contract/bridge'
import type * as z from 'zod'
import type { Context } from '../../../platform/context.ts'
import type { Delivery, OutgoingDownlink, Way } from '../downlinks/types.ts'
import type { Journal } from '../journal.ts'
import type { Reading } from '../presets/index.ts'
import type { Receiver, Receiving } from '../receive.ts'
import type { RemoteAccess } from '../remote/access.ts'
import type { StoredSettings } from '../types.ts'

/** One thing that was tried, for "validate and save". */
export interface Check {
  /** settings, name, template, password, username, topics, connection, subscription, sample */
  readonly name: string
  readonly ok: boolean
  readonly message: string
}

/** A connector at work. `reading` follows changes of preset and template without a restart: look at it for every message. */
export interface Active<S> extends Receiving {
  readonly name: string
  readonly settings: S
  /** Notes the state; equal ones are noted once. */
  setState(state: ConnectorState, message: string): void
}

/** Whose settings are tried, and how far. */
export interface Trying<S> {
  readonly connectorId: number | null
  readonly stored: S | null
  /** false leaves out whatever goes out into the network */
  readonly connect: boolean
}

/** Stops the connector. `next`: its new settings; null: it is deleted or switched off; absent: the server stops. */
export type Stop<S> = (next?: { readonly settings: S | null }) => Promise<void>

/** A setting that is never sent back; empty on a change keeps the stored one. */
export interface Secret<S> {
  /** needed again to sign in elsewhere, and therefore stored encrypted */
  readonly isSealed: boolean
  /** To whom it may be sent: settings with another answer need it entered again. */
  audience(settings: S): string
}

/** How downlinks reach devices. The settings have `downlinks`, the way to the network server. */
export interface Command<S> {
  /** names and addresses at the network server depend on it */
  readonly over: 'mqtt' | 'http'
  /** Tries once. Never rejects because of the network server; ends as `unknown` when the signal says so. */
  send(
    connector: { readonly id: number; readonly settings: S },
    way: Way,
    downlink: OutgoingDownlink,
    signal: AbortSignal,
  ): Promise<Delivery>
}

/** What kinds work with. */
export interface KindTools {
  readonly ctx: Context
  readonly receiver: Receiver
  readonly journal: Journal
  /** The connector of a key, for kinds with `hasKey`; constant time, in memory. */
  findByKey(key: string): (Receiving & { readonly reading: Reading; readonly enabled: boolean }) | undefined
}

/** A kind at work in this process, with what all its connectors share: a port, a route, connections. */
export interface Running<S> {
  /**
   * Begins to receive messages.
   * @throws when it cannot; it is tried again later
   */
  receive?(connector: Active<S>): Promise<Stop<S>>
  readonly command?: Command<S>
  /** Addresses devices send to, without keys; none where we dial out. */
  endpoints?(): string[]
  [Symbol.asyncDispose]?(): Promise<void>
}

/** One kind of connector: a folder beside this file. What it can do follows from what it has, see `capabilitiesOf`. */
export interface Kind<S> {
  readonly schema: z.ZodType<S>
  readonly presets: readonly Preset[]
  readonly secrets: Readonly<Record<string, Secret<S>>>
  /** whether its address carries a key, `/api/hooks/{key}` */
  readonly hasKey?: boolean
  /** settings that apply to the next message without a new connection, besides those all kinds have */
  readonly appliedAtOnce?: readonly string[]
  /** unique indexes its settings may violate: the check that failed */
  readonly unique?: Readonly<Record<string, Omit<Check, 'ok'>>>
  /** A topic that a message of the connector could have, to try samples with. */
  sampleTopic?(settings: S): string | undefined
  /** What is stored of checked settings: secrets hashed where possible, names made. Absent: what was checked. */
  seal?(settings: S, stored: S | null): Promise<S>
  /** Really tries. `stored`: what is stored of this connector so far, `connectorId` null for a new one. */
  check(settings: S, ctx: Context, of: Trying<S>): Promise<Check[]>
  /** access to the devices of the network server behind it */
  readonly manage?: RemoteAccess<S>
  /** Opens the kind, once for this process. */
  open(tools: KindTools): Running<S>
}

/** A kind whose settings are not known by type; they were parsed with its schema. */
export type AnyKind = Kind<StoredSettings>
export type AnyRunning = Running<StoredSettings>
