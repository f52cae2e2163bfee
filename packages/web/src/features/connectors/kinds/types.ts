import type { UseFormReturnType } from '@mantine/form'
import type { ComponentType, ReactNode } from 'react'
import type { IconType } from '../../../ui/display/Icon.tsx'
import type { Connector, Preset } from '../queries.ts'
import type { Sample } from '../sending.ts'

/** What the form of every kind has. */
export type CommonValues = {
  preset: Preset
  template: string
  /** empty: none */
  messagesPerSecond: number | string
}

/** Values of a form whose kind is not known by type. */
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
  /** Stored secrets are kept while their fields stay empty. */
  isNew: boolean
  /** where the settings are tried on a message */
  tester: ReactNode
}

export interface ConnectionProps {
  connector: Connector
  /** the keys of the connector, for kinds that have some */
  keys: ReactNode
}

/** The part of a connector that says how to send to it. */
export type Reached = Pick<Connector, 'kind' | 'preset' | 'endpoints' | 'settings'>

/** What the console has of a kind of connectors: a folder beside this file. Its name and texts are `connectors.kind.<kind>`. */
export interface ConsoleKind<S extends CommonValues> {
  icon: IconType
  /** settings of a new connector */
  empty(): S
  /** Settings that never come back from the server, each with whether a new connector needs it. */
  secrets(settings: S): Readonly<Record<string, boolean>>
  /** its settings, in sections */
  Form: ComponentType<FormProps>
  /** how devices reach it, with a command to try */
  Connection: ComponentType<ConnectionProps>
  /** the program of `command` */
  tool: string
  /** A command that sends one packet to it. @param key of the connector, or what stands for it */
  command(connector: Reached, sample: Sample, key: string): string
  /** what has to be entered in the command by hand; of a connector that the caller manages */
  CommandNote: ComponentType<{ connector: Connector; isKeyKnown: boolean }>
}

export type AnyConsoleKind = ConsoleKind<SettingsValues>
