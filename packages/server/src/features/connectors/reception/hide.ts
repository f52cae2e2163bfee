import type { JsonValue } from '@leitstand/contract/common'

/** Replaces secrets in a text with asterisks; secrets that are empty or not text are skipped. */
export function hideAll(secrets: readonly (JsonValue | undefined)[], text: string): string {
  return secrets
    .filter((secret) => typeof secret === 'string' && secret !== '')
    .reduce<string>((shown, secret) => shown.replaceAll(String(secret), '***'), text)
}
