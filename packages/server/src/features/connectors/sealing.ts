import type { ConnectorKind } from '@leitstand/contract/bridge'
import type { Context } from '../../platform/context.ts'
import { isSealed, type Secrets } from '../../platform/secrets.ts'
import { kinds } from './kinds/index.ts'
import { readConnectors, replaceSettings } from './store/connectors.ts'
import type { ConnectorRow, StoredSettings } from './types.ts'

const purpose = 'connector'

/**
 * Settings as stored in the database: the secrets of the kind are encrypted. An unchanged secret keeps its
 * ciphertext, so that it does not look like a change.
 * @param stored the settings currently in the database
 */
export function sealed(
  secrets: Secrets,
  kind: ConnectorKind,
  settings: StoredSettings,
  stored: StoredSettings | null,
): StoredSettings {
  const before = stored && opened(secrets, kind, stored)
  return mapSecrets(kind, settings, (text, name) => {
    const known = stored?.[name]
    const isSame = before?.[name] === text && typeof known === 'string' && isSealed(known)
    return isSame ? known : secrets.seal(text, purpose)
  })
}

/**
 * Decrypted settings, as the kind uses them.
 * @throws Error when a secret was encrypted with another key
 */
export function opened(secrets: Secrets, kind: ConnectorKind, settings: StoredSettings): StoredSettings {
  return mapSecrets(kind, settings, (text) => (isSealed(text) ? secrets.open(text, purpose) : text))
}

/**
 * Settings of a connector as its kind uses them; settings stored by an older version get defaults for new
 * fields.
 * @throws Error like `opened`, and when they do not match the schema of the kind
 */
export function settingsOf(
  secrets: Secrets,
  { kind, settings }: Pick<ConnectorRow, 'kind' | 'settings'>,
): StoredSettings {
  return kinds[kind].schema.parse(opened(secrets, kind, settings))
}

/** Encrypts secrets that older versions stored in clear text. */
export async function sealStored({ db, secrets, log }: Context): Promise<void> {
  for (const { id, kind, settings } of await readConnectors(db)) {
    const isPlain = sealedNames(kind).some((name) => {
      const text = settings[name]
      return typeof text === 'string' && text !== '' && !isSealed(text)
    })
    if (!isPlain) continue
    await replaceSettings(db, id, settings, sealed(secrets, kind, settings, null))
    log.info({ connector: id }, 'passwords of a connector are encrypted from now on')
  }
}

function mapSecrets(
  kind: ConnectorKind,
  settings: StoredSettings,
  change: (text: string, name: string) => string,
): StoredSettings {
  const changed = { ...settings }
  for (const name of sealedNames(kind)) {
    const text = settings[name]
    if (typeof text === 'string' && text !== '') changed[name] = change(text, name)
  }
  return changed
}

function sealedNames(kind: ConnectorKind): string[] {
  return Object.entries(kinds[kind].secrets).flatMap(([name, { isSealed: seals }]) => (seals ? [name] : []))
}
