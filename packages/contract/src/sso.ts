import * as z from 'zod'
import { SessionAccess, SessionUser } from './auth.ts'
import { Done, Id, listOf, operation, Paging, pageOf, Time, Title, Version } from './common.ts'
import { may } from './permissions.ts'

/** Bytes of a logo before it is encoded. */
export const logoBytesMax = 49_152

/** URL of a provider; the server may still refuse its destination. */
const ProviderUrl = z
  .url({ protocol: /^https?$/ })
  .max(2000)
  .refine((text) => URL.parse(text)?.username === '', 'url')

/** A picture as a data URL, so that login pages do not load it from an external server. */
const Logo = z
  .string()
  .max(Math.ceil(logoBytesMax / 3) * 4 + 40)
  .regex(/^data:image\/(png|jpeg|webp);base64,[A-Za-z0-9+/]+={0,2}$/)

/** Path of a value in the provider's claims, e.g. `email`, `realm_access.roles`, `groups`. */
const ClaimPath = z.string().trim().min(1).max(200)

const Access = z.object({ scopeId: Id, roleId: Id })

/** Users with this value in this claim (or in its list) get the role on the scope. */
export const RoleMapping = Access.extend({ claim: ClaimPath, value: z.string().trim().min(1).max(500) })
export type RoleMapping = z.infer<typeof RoleMapping>

/**
 * What counts as the second factor where one is required: `own` – the one set up here; `amr` – the provider's
 * if its `amr` claim confirms one, else the one set up here; `provider` – the provider always requires one.
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
  /** absent: unchanged; null: a public client without a secret. Never returned. */
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
  /** links a user of the account with the same address, if the provider says that it is verified */
  linkUsers: z.boolean().default(false),
  /** the provider only returns verified addresses, even if it does not say so */
  trustEmails: z.boolean().default(false),
  /** roles in the account follow the mapping at every sign-in, not only at the first */
  mapEveryTime: z.boolean().default(false),
  mappings: z.array(RoleMapping).max(100).default([]),
  /** the role of users whom no mapping matches */
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
  /** used instead of the discovery */
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
  /** paths of the values in the user info; `id` must never change */
  fields: z.object({ id: ClaimPath.default('id'), ...fields }).prefault({}),
  scopes: Common.shape.scopes.default([]),
})
export type OAuth2ClientInput = z.infer<typeof OAuth2ClientInput>

/** Fields that the server adds to the input. */
const stored = {
  id: Id,
  /** used in the URLs of this client; never changes */
  key: z.string(),
  hasSecret: z.boolean(),
  /** to be registered with the provider: the allowed redirect URIs, one for every domain of the account */
  redirectUris: z.array(z.string()),
  /** starts the sign-in; for links outside the login page */
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

/** Generated by the client that creates it, so that its URLs are known in advance; else by the server. */
const Key = z.string().regex(/^[a-z0-9]{20,40}$/)

export const ssoSteps = ['discovery', 'authorization', 'keys', 'token', 'userinfo', 'scopes'] as const

/** The result of one check. `reason` is the code of a text. */
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
  /** as returned by the provider */
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
 * OpenID Connect providers. Only for users who have all permissions in the account and below it, because a
 * provider can sign in every user.
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
  /** Ends the sessions started with it. Its users are kept and need a password from now on. */
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
  /** Queries the provider without a sign-in. With `id`, the stored secret is used if none is given. */
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

/** OAuth2 providers with a user info endpoint. */
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
  /** Like `oidcClient.delete`. */
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
  /** Like `oidcClient.validate`. */
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
  /** The buttons of a domain: of the account it is mapped to, else of the topmost account. */
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
  /** The URLs to register with the provider before a client is created, by its future key. */
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
  /** Completes a sign-in that returned from a provider and requires the second factor set up here. */
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
