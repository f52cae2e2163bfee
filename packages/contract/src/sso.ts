import * as z from 'zod'
import { SessionAccess, SessionUser } from './auth.ts'
import { Done, Id, listOf, operation, Paging, pageOf, Time, Title, Version } from './common.ts'
import { may } from './permissions.ts'

/** Bytes of a logo before it is encoded. */
export const logoBytesMax = 49_152

/** Address of a provider: where it leads may be refused by the server all the same. */
const ProviderUrl = z
  .url({ protocol: /^https?$/ })
  .max(2000)
  .refine((text) => URL.parse(text)?.username === '', 'url')

/** A picture in the address itself, so that nobody's login page asks a foreign server for it. */
const Logo = z
  .string()
  .max(Math.ceil(logoBytesMax / 3) * 4 + 40)
  .regex(/^data:image\/(png|jpeg|webp);base64,[A-Za-z0-9+/]+={0,2}$/)

/** Where a value stands in what the provider says, e.g. `email`, `realm_access.roles`, `groups`. */
const ClaimPath = z.string().trim().min(1).max(200)

const Access = z.object({ scopeId: Id, roleId: Id })

/** Who has this value in this claim (or in its list) gets the role on the scope. */
export const RoleMapping = Access.extend({ claim: ClaimPath, value: z.string().trim().min(1).max(500) })
export type RoleMapping = z.infer<typeof RoleMapping>

/**
 * What counts as the second factor where one is needed: `own` – the one set up here; `amr` – the provider's, when it
 * says in `amr` that it asked for one, else the own one; `provider` – the provider always asks for one.
 */
export const SecondFactorOf = z.enum(['own', 'amr', 'provider'])
export type SecondFactorOf = z.infer<typeof SecondFactorOf>

const Common = z.object({
  accountId: Id,
  /** on the button of the login page */
  title: Title,
  logo: Logo.nullable().default(null),
  active: z.boolean().default(true),
  clientId: z.string().trim().min(1).max(500),
  /** absent: stays as it is; null: a public client without a secret. It is never answered. */
  clientSecret: z.string().min(1).max(2000).nullish(),
  /** how the secret is sent to the token end point: in a header or in the body */
  clientAuth: z.enum(['basic', 'post']).default('basic'),
  scopes: z
    .array(
      z
        .string()
        .max(200)
        .regex(/^[\x21\x23-\x5b\x5d-\x7e]+$/),
    )
    .max(50),
  /** creates a user at the first sign-in */
  createUsers: z.boolean().default(false),
  /** binds a user of the account who has the same address, when the provider says that it is verified */
  linkUsers: z.boolean().default(false),
  /** the provider gives no addresses it has not checked, though it may not say so */
  trustEmails: z.boolean().default(false),
  /** roles in the account follow the mapping at every sign-in, not only at the first */
  mapEveryTime: z.boolean().default(false),
  mappings: z.array(RoleMapping).max(100).default([]),
  /** what somebody gets whom no mapping fits */
  fallback: Access.nullable().default(null),
  secondFactor: SecondFactorOf.default('own'),
})

const fields = {
  email: ClaimPath.default('email'),
  emailVerified: ClaimPath.default('email_verified'),
  firstName: ClaimPath.default('given_name'),
  lastName: ClaimPath.default('family_name'),
}

export const OidcEndpoints = z.object({
  issuer: ProviderUrl,
  authorization: ProviderUrl,
  token: ProviderUrl,
  userinfo: ProviderUrl.nullable().default(null),
  jwks: ProviderUrl,
})

export const OidcClientInput = Common.extend({
  /** the issuer, or the address of its `.well-known/openid-configuration` */
  discoveryUrl: ProviderUrl.nullable().default(null),
  /** instead of the discovery */
  endpoints: OidcEndpoints.nullable().default(null),
  fields: z.object(fields).prefault({}),
  scopes: Common.shape.scopes.default(['openid', 'profile', 'email']),
}).refine((client) => (client.discoveryUrl === null) !== (client.endpoints === null), {
  message: 'discoveryOrEndpoints',
  path: ['discoveryUrl'],
})
export type OidcClientInput = z.infer<typeof OidcClientInput>

export const OAuth2Endpoints = z.object({
  authorization: ProviderUrl,
  token: ProviderUrl,
  userinfo: ProviderUrl,
})

export const OAuth2ClientInput = Common.extend({
  endpoints: OAuth2Endpoints,
  /** where the user info says who it is; `id` has to stay the same for ever */
  fields: z.object({ id: ClaimPath.default('id'), ...fields }).prefault({}),
  scopes: Common.shape.scopes.default([]),
})
export type OAuth2ClientInput = z.infer<typeof OAuth2ClientInput>

/** What the server adds to what was entered. */
const stored = {
  id: Id,
  /** in the addresses of this client; stays */
  key: z.string(),
  hasSecret: z.boolean(),
  /** what the provider has to know: where it may send people back to, one for every domain of the account */
  redirectUris: z.array(z.string()),
  /** begins the sign-in; for links outside of the login page */
  startUrl: z.string(),
  createdAt: Time,
  updatedAt: Time,
  /** people who sign in with it */
  users: z.int(),
  version: Version,
}

export const OidcClient = z.object({ ...OidcClientInput.shape, ...stored }).omit({ clientSecret: true })
export type OidcClient = z.infer<typeof OidcClient>
export const OAuth2Client = z.object({ ...OAuth2ClientInput.shape, ...stored }).omit({ clientSecret: true })
export type OAuth2Client = z.infer<typeof OAuth2Client>

/** Made by who creates a client, so that its addresses are known before; else by the server. */
const Key = z.string().regex(/^[a-z0-9]{20,40}$/)

export const ssoSteps = ['discovery', 'authorization', 'keys', 'token', 'userinfo', 'scopes'] as const

/** One thing that was looked at. `reason` is the code of a text. */
export const SsoCheck = z.object({
  step: z.enum(ssoSteps),
  state: z.enum(['ok', 'warning', 'failed']),
  reason: z.enum([
    ...['reached', 'keysFound', 'secretAccepted', 'accepted', 'unreachable', 'timeout', 'forbidden'],
    ...['hostUnknown', 'tooLarge', 'answer', 'issuer', 'severalIssuers', 'missing', 'noKeys', 'secret'],
    ...['undecided', 'noPkce', 'scopes', 'clientUnknown'],
  ] as const),
  detail: z.string().max(500),
})
export type SsoCheck = z.infer<typeof SsoCheck>

export const SsoReport = z.object({
  /** nothing failed */
  ok: z.boolean(),
  checks: z.array(SsoCheck),
  /** as the provider says it */
  discovered: z
    .object({
      issuer: z.string(),
      authorization: z.string(),
      token: z.string(),
      userinfo: z.string().nullable(),
      jwks: z.string(),
      scopes: z.array(z.string()),
      claims: z.array(z.string()),
    })
    .nullable(),
})
export type SsoReport = z.infer<typeof SsoReport>

const manage = may('all', 'manage')
const Filter = z.object({ ...Paging, accountIds: listOf(Id).optional() })

/**
 * Providers with OpenID Connect. Only for who can do everything in the account and below it: whoever decides who
 * vouches for people could sign in as any of them.
 */
export const oidcClient = {
  list: operation
    .meta({ rule: manage })
    .route({ method: 'GET', path: '/oidc-client', tags: ['single sign-on'], summary: 'OIDC clients' })
    .input(Filter)
    .output(pageOf(OidcClient)),
  create: operation
    .meta({ rule: manage, clientTimeoutMs: 60_000 })
    .route({
      method: 'POST',
      path: '/oidc-client',
      tags: ['single sign-on'],
      summary: 'Create an OIDC client',
      successStatus: 201,
    })
    .input(OidcClientInput.safeExtend({ key: Key.optional() }))
    .output(OidcClient),
  update: operation
    .meta({ rule: manage, clientTimeoutMs: 60_000, changes: 'rights' })
    .route({
      method: 'PUT',
      path: '/oidc-client/{id}',
      tags: ['single sign-on'],
      summary: 'Change an OIDC client',
    })
    .input(OidcClientInput.safeExtend({ id: Id, version: Version }))
    .output(OidcClient),
  /** Ends the sessions that were begun with it. Its users stay, and need a password from now on. */
  delete: operation
    .meta({ rule: manage, changes: 'rights' })
    .route({
      method: 'DELETE',
      path: '/oidc-client/{id}',
      tags: ['single sign-on'],
      summary: 'Delete an OIDC client',
    })
    .input(z.object({ id: Id }))
    .output(Done),
  /** Asks the provider without anybody signing in. With `id` the stored secret stands in for one that is absent. */
  validate: operation
    .meta({ rule: manage, clientTimeoutMs: 60_000 })
    .route({
      method: 'POST',
      path: '/oidc-client/validate',
      tags: ['single sign-on'],
      summary: 'Check an OIDC client',
    })
    .input(OidcClientInput.safeExtend({ id: Id.optional(), key: Key.optional() }))
    .output(SsoReport),
}

/** Providers with OAuth2 that tell about people at a user info end point. */
export const oauth2Client = {
  list: operation
    .meta({ rule: manage })
    .route({ method: 'GET', path: '/oauth2-client', tags: ['single sign-on'], summary: 'OAuth2 clients' })
    .input(Filter)
    .output(pageOf(OAuth2Client)),
  create: operation
    .meta({ rule: manage, clientTimeoutMs: 60_000 })
    .route({
      method: 'POST',
      path: '/oauth2-client',
      tags: ['single sign-on'],
      summary: 'Create an OAuth2 client',
      successStatus: 201,
    })
    .input(OAuth2ClientInput.safeExtend({ key: Key.optional() }))
    .output(OAuth2Client),
  update: operation
    .meta({ rule: manage, clientTimeoutMs: 60_000, changes: 'rights' })
    .route({
      method: 'PUT',
      path: '/oauth2-client/{id}',
      tags: ['single sign-on'],
      summary: 'Change an OAuth2 client',
    })
    .input(OAuth2ClientInput.safeExtend({ id: Id, version: Version }))
    .output(OAuth2Client),
  /** As `oidcClient.delete`. */
  delete: operation
    .meta({ rule: manage, changes: 'rights' })
    .route({
      method: 'DELETE',
      path: '/oauth2-client/{id}',
      tags: ['single sign-on'],
      summary: 'Delete an OAuth2 client',
    })
    .input(z.object({ id: Id }))
    .output(Done),
  /** As `oidcClient.validate`. */
  validate: operation
    .meta({ rule: manage, clientTimeoutMs: 60_000 })
    .route({
      method: 'POST',
      path: '/oauth2-client/validate',
      tags: ['single sign-on'],
      summary: 'Check an OAuth2 client',
    })
    .input(OAuth2ClientInput.safeExtend({ id: Id.optional(), key: Key.optional() }))
    .output(SsoReport),
}

/** A button of the login page. */
export const SsoButton = z.object({
  title: z.string(),
  logo: z.string().nullable(),
  /** path on the same host; takes `redirect`, the path of the console to go to */
  startPath: z.string(),
})
export type SsoButton = z.infer<typeof SsoButton>

const Domain = z.object({ domain: z.string().max(255).default('') })
const Buttons = z.object({ items: z.array(SsoButton) })

export const sso = {
  /** The buttons of a domain: of the account it is mapped to, else of the topmost one. */
  oidcButtons: operation
    .meta({ rule: 'public' })
    .route({ method: 'GET', path: '/theming/oidc', tags: ['single sign-on'], summary: 'OIDC buttons' })
    .input(Domain)
    .output(Buttons),
  oauth2Buttons: operation
    .meta({ rule: 'public' })
    .route({ method: 'GET', path: '/theming/oauth', tags: ['single sign-on'], summary: 'OAuth2 buttons' })
    .input(Domain)
    .output(Buttons),
  /** What the provider has to know of a client before it is created, by the key it is going to have. */
  addresses: operation
    .meta({ rule: manage })
    .route({
      method: 'GET',
      path: '/auth/sso/addresses',
      tags: ['single sign-on'],
      summary: 'Addresses of a client',
    })
    .input(z.object({ accountId: Id, key: Key }))
    .output(z.object({ redirectUris: stored.redirectUris, startUrl: stored.startUrl })),
  /** Ends a sign-in that came back from a provider and needs the own second factor. */
  confirm: operation
    .meta({ rule: 'public', guessed: true, clientTimeoutMs: 5_000 })
    .route({
      method: 'POST',
      path: '/auth/sso/confirm',
      tags: ['single sign-on'],
      summary: 'Enter the second factor after single sign-on',
    })
    .input(z.object({ code: z.string().trim().min(6).max(20) }))
    .output(z.object({ token: z.string(), expiresAt: Time, user: SessionUser, access: SessionAccess })),
}
