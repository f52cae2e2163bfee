import { OAuth2ClientInput, OidcClientInput } from '@leitstand/contract/sso'
import { check } from '../../lib/validation.ts'
import { fieldAt, oauth2InputOf, oidcInputOf, type SsoKind, type SsoValues } from './values.ts'

const checkOidc = check(OidcClientInput)

const checkOAuth2 = check(OAuth2ClientInput)

/** Form errors by field. */
export function faultsOf(kind: SsoKind, values: SsoValues, accountId: number, hasSecret: boolean) {
  const faults =
    kind === 'oidc'
      ? checkOidc(oidcInputOf(values, accountId, hasSecret))
      : checkOAuth2(oauth2InputOf(values, accountId, hasSecret))
  return Object.fromEntries(Object.entries(faults).map(([path, text]) => [fieldAt(path), text]))
}
