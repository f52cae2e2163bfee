import type { JsonValue } from '@leitstand/contract/common'

/** A text with stars in the place of secrets; what is no text, or empty, hides nothing. */
export function hideAll(secrets: readonly (JsonValue | undefined)[], text: string): string {
  return secrets
    .filter((secret) => typeof secret === 'string' && secret !== '')
    .reduce<string>((shown, secret) => shown.replaceAll(String(secret), '***'), text)
}
