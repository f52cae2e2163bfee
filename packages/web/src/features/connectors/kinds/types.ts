import type { UseFormReturnType } from '@mantine/form'
import type { ComponentType, ReactNode } from 'react'
import type { IconType } from '../../../ui/display/Icon.tsx'
import type { Connector, Preset } from '../queries.ts'
import type { Sample } from '../sending.ts'

/** Fields of every kind's form. */
export type CommonValues = {
  preset: Preset
  template: string
  /** empty: none */
  messagesPerSecond: number | string
}

/** Form values of a kind that is not known statically. */
export type SettingsValues = CommonValues & Record<string, unknown>

export interface ConnectorValues extends Record<string, unknown> {
  accountId: string | null
  name: string
  description: string
  enabled: boolean
  settings: SettingsValues
}

export type ConnectorForm = UseFormReturnType<ConnectorValues>

export interface FormProps {
  form: ConnectorForm
  /** Stored secrets are kept if their fields stay empty. */
  isNew: boolean
  /** tester for the settings */
  tester: ReactNode
}

export interface ConnectionProps {
  connector: Connector
  /** the keys of the connector, for kinds that have some */
  keys: ReactNode
}

/** The part of a connector that is needed to send to it. */
export type Reached = Pick<Connector, 'kind' | 'preset' | 'endpoints' | 'settings'>

/**
 * The console's part of a connector kind: a folder next to this file. Its name and texts are
 * `connectors.kind.<kind>`.
 */
export interface ConsoleKind<S extends CommonValues> {
  icon: IconType
  /** settings of a new connector */
  empty(): S
  /** Settings the server never returns, each with whether a new connector requires it. */
  secrets(settings: S): Readonly<Record<string, boolean>>
  /** its settings, in sections */
  Form: ComponentType<FormProps>
  /** how devices reach it, with a command to try */
  Connection: ComponentType<ConnectionProps>
  /** how devices send to it; absent: it receives nothing */
  sending?: Sending
}

interface Sending {
  /** the program of `command` */
  tool: string
  /** A command that sends one packet to it. @param key of the connector, or a placeholder */
  command(connector: Reached, sample: Sample, key: string): string
  /** what the user has to fill in by hand in the command; for connectors the user manages */
  CommandNote: ComponentType<{ connector: Connector; isKeyKnown: boolean }>
}

export type AnyConsoleKind = ConsoleKind<SettingsValues>
