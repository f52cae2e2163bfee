import type { OAuth2Client, OAuth2ClientInput, OidcClient, OidcClientInput } from '@leitstand/contract'

export type SsoKind = 'oidc' | 'oauth2'
export type SsoClient = ({ kind: 'oidc' } & OidcClient) | ({ kind: 'oauth2' } & OAuth2Client)

export interface MappingLine {
  /** key of the row while editing */
  key: number
  claim: string
  value: string
  scopeId: string | null
  roleId: string | null
}

/** Form values of a client; shared by both kinds, each uses its part. */
export interface SsoValues extends Record<string, unknown> {
  title: string
  logo: string | null
  active: boolean
  clientId: string
  /** empty: unchanged */
  clientSecret: string
  /** without a secret */
  isPublic: boolean
  clientAuth: 'basic' | 'post'
  scopes: string[]
  mode: 'discovery' | 'endpoints'
  discoveryUrl: string
  issuer: string
  authorization: string
  token: string
  userinfo: string
  jwks: string
  id: string
  email: string
  emailVerified: string
  firstName: string
  lastName: string
  createUsers: boolean
  linkUsers: boolean
  trustEmails: boolean
  mapEveryTime: boolean
  mappings: MappingLine[]
  fallbackScope: string | null
  fallbackRole: string | null
  secondFactor: 'own' | 'amr' | 'provider'
}

const usualFields = {
  email: 'email',
  emailVerified: 'email_verified',
  firstName: 'given_name',
  lastName: 'family_name',
}

/** @param rootScopeId the account's scope, the default for new users */
export function valuesOf(
  client: SsoClient | null,
  kind: SsoKind,
  rootScopeId: number | undefined,
): SsoValues {
  const root = rootScopeId === undefined ? null : String(rootScopeId)
  const shared = {
    title: client?.title ?? '',
    logo: client?.logo ?? null,
    active: client?.active ?? true,
    clientId: client?.clientId ?? '',
    clientSecret: '',
    isPublic: client ? !client.hasSecret : false,
    clientAuth: client?.clientAuth ?? 'basic',
    createUsers: client?.createUsers ?? true,
    linkUsers: client?.linkUsers ?? false,
    trustEmails: client?.trustEmails ?? false,
    mapEveryTime: client?.mapEveryTime ?? false,
    secondFactor: client?.secondFactor ?? 'own',
    scopes: client?.scopes ?? (kind === 'oidc' ? ['openid', 'profile', 'email'] : []),
    mappings: (client?.mappings ?? []).map(({ claim, value, scopeId, roleId }, key) => ({
      key,
      claim,
      value,
      scopeId: String(scopeId),
      roleId: String(roleId),
    })),
    fallbackScope: client?.fallback ? String(client.fallback.scopeId) : client ? null : root,
    fallbackRole: client?.fallback ? String(client.fallback.roleId) : null,
  }
  return { ...shared, ...addressesOf(client), id: 'id', ...usualFields, ...client?.fields }
}

function addressesOf(client: SsoClient | null) {
  const endpoints = client?.endpoints
  return {
    mode: client?.kind === 'oidc' && client.endpoints ? ('endpoints' as const) : ('discovery' as const),
    discoveryUrl: (client?.kind === 'oidc' ? client.discoveryUrl : null) ?? '',
    issuer: (client?.kind === 'oidc' ? client.endpoints?.issuer : undefined) ?? '',
    authorization: endpoints?.authorization ?? '',
    token: endpoints?.token ?? '',
    userinfo: endpoints?.userinfo ?? '',
    jwks: (client?.kind === 'oidc' ? client.endpoints?.jwks : undefined) ?? '',
  }
}

/** Input common to both kinds. An empty secret is not sent if the client has one, which keeps it. */
function commonInput(values: SsoValues, accountId: number, hasSecret: boolean) {
  const { title, logo, active, clientAuth, scopes, createUsers, linkUsers, trustEmails, mapEveryTime } =
    values
  const secret = values.isPublic ? null : values.clientSecret
  const { secondFactor, fallbackScope, fallbackRole } = values
  return {
    accountId,
    logo,
    active,
    clientAuth,
    scopes,
    createUsers,
    linkUsers,
    trustEmails,
    mapEveryTime,
    title: title.trim(),
    clientId: values.clientId.trim(),
    secondFactor,
    ...(secret === '' && hasSecret ? {} : { clientSecret: secret }),
    mappings: values.mappings.map(({ claim, value, scopeId, roleId }) => ({
      claim: claim.trim(),
      value: value.trim(),
      scopeId: Number(scopeId),
      roleId: Number(roleId),
    })),
    fallback: fallbackRole === null ? null : { scopeId: Number(fallbackScope), roleId: Number(fallbackRole) },
  }
}

export function oidcInputOf(values: SsoValues, accountId: number, hasSecret: boolean): OidcClientInput {
  const { mode, issuer, authorization, token, userinfo, jwks } = values
  const isDiscovered = mode === 'discovery'
  const endpoints = { issuer, authorization, token, userinfo: userinfo === '' ? null : userinfo, jwks }
  return {
    ...commonInput(values, accountId, hasSecret),
    discoveryUrl: isDiscovered ? values.discoveryUrl.trim() : null,
    endpoints: isDiscovered ? null : endpoints,
    fields: fieldsOf(values),
  }
}

export function oauth2InputOf(values: SsoValues, accountId: number, hasSecret: boolean): OAuth2ClientInput {
  const { authorization, token, userinfo, id } = values
  return {
    ...commonInput(values, accountId, hasSecret),
    endpoints: { authorization, token, userinfo },
    fields: { id, ...fieldsOf(values) },
  }
}

function fieldsOf({ email, emailVerified, firstName, lastName }: SsoValues) {
  return { email, emailVerified, firstName, lastName }
}

/** The form field for an error path of the contract. */
export function fieldAt(path: string): string {
  if (path === 'fallback.scopeId') return 'fallbackScope'
  if (path === 'fallback.roleId') return 'fallbackRole'
  return path.replace(/^(endpoints|fields)\./, '').replace(/^scopes\.\d+$/, 'scopes')
}

const keyLength = 24
const letters = 'abcdefghijklmnopqrstuvwxyz234567'

/** The key of a new client: it is in the addresses the provider needs before the client is stored. */
export function newKey(random: Uint8Array = crypto.getRandomValues(new Uint8Array(keyLength))): string {
  return [...random].map((byte) => letters[byte % letters.length]).join('')
}
