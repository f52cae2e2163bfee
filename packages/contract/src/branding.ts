import * as z from 'zod'
import { highlightContrast } from './brandColours.ts'
import { Done, Id, isWebAddress, operation } from './common.ts'
import { canonicalDomain, Domain } from './domains.ts'
import { may } from './permissions.ts'

/** The page title where an account has set none. */
export const defaultPageTitle = 'IoT Platform'

export const brandLimits = {
  titleLengthMax: 60,
  copyrightLengthMax: 200,
  /** of the imprint and of the data protection text, in characters */
  pageLengthMax: 40_000,
  /** in bytes of the file */
  imageBytesMax: 1_048_576,
  /** width and height of logo and favicon, in pixels */
  squareSideMax: 1024,
  /** width and height of a background, in pixels */
  backgroundSideMax: 4096,
  drawerLinksMax: 20,
} as const

export const brandLanguages = ['de', 'en'] as const
export const BrandLanguage = z.enum(brandLanguages)
export type BrandLanguage = z.infer<typeof BrandLanguage>

/** A link that opens over TLS; empty: none. */
const SecureLink = z
  .string()
  .trim()
  .max(500)
  .refine((text) => text === '' || (isWebAddress(text) && text.startsWith('https:')), 'httpsUrl')
  .default('')

/** `#rgb` or `#rrggbb`; null: the platform's. */
const highlight = (mode: 'light' | 'dark') =>
  z
    .string()
    .max(7)
    .regex(/^#([\da-f]{3}|[\da-f]{6})$/i, 'colour')
    .refine((hex) => highlightContrast(hex, mode)?.verdict !== 'unreadable', 'contrast')
    .nullable()
    .default(null)

/** One line without characters that turn its direction or hide in it. */
const Line = (max: number) =>
  z
    .string()
    .trim()
    .max(max)
    .regex(/^[^\p{Cc}\p{Zl}\p{Zp}\u200e\u200f\u202a-\u202e\u2066-\u2069]*$/u, 'line')
    .default('')

const PageText = z.string().max(brandLimits.pageLengthMax).default('')

/** What the pages say in one language. */
export const BrandPage = z.object({
  /** in the window's title, the drawer, emails; empty: `defaultPageTitle` */
  title: Line(brandLimits.titleLengthMax),
  /** where the imprint is; empty: `imprintText`, if there is one */
  imprintUrl: SecureLink,
  /** plain text with headings (`#`), lists and emphasis as in Markdown */
  imprintText: PageText,
  privacyUrl: SecureLink,
  privacyText: PageText,
  aboutUrl: SecureLink,
  licencesUrl: SecureLink,
  copyright: Line(brandLimits.copyrightLengthMax),
})
export type BrandPage = z.infer<typeof BrandPage>

export const logoPositions = ['left', 'right', 'center', 'center-overlap'] as const
export const brandFonts = ['inter', 'system', 'serif'] as const

/** Everything a brand consists of besides its images. */
export const BrandSettings = z.object({
  pages: z.object({ de: BrandPage.prefault({}), en: BrandPage.prefault({}) }).prefault({}),
  showFooter: z.boolean().default(true),
  showVersion: z.boolean().default(true),
  /** the manual can be read before signing in */
  publicManual: z.boolean().default(false),
  logoPosition: z.enum(logoPositions).default('left'),
  lightHighlight: highlight('light'),
  darkHighlight: highlight('dark'),
  /** of users who have chosen "own colour", but none of their own */
  lightHighlightCustomer: highlight('light'),
  darkHighlightCustomer: highlight('dark'),
  /** whether the images `home` and `login` are shown */
  useCustomBackground: z.boolean().default(true),
  /** fonts that come with the console or the system; nothing is loaded from elsewhere */
  font: z.enum(brandFonts).default('inter'),
  /** where the icon at the top of the drawer leads; empty: home */
  sidebarIconLink: SecureLink,
  grafanaUrl: SecureLink,
  /** until a user chooses; `auto`: as the browser says */
  defaultMode: z.enum(['auto', 'light', 'dark']).default('auto'),
  defaultLanguage: z.enum(['auto', ...brandLanguages]).default('auto'),
})
export type BrandSettings = z.infer<typeof BrandSettings>

export const brandImageRoles = ['logo', 'favicon', 'home', 'login'] as const
export const BrandImageRole = z.enum(brandImageRoles)
export type BrandImageRole = z.infer<typeof BrandImageRole>

/** Paths of the images on the same host; null: none. */
const Images = z.record(BrandImageRole, z.string().nullable())

/** The brand of one domain as its administrators see it. */
export const Brand = z.object({
  /** empty: all addresses of the installation that no account has proven */
  domain: z.string(),
  settings: BrandSettings,
  images: Images,
  /** 0: not stored yet, the defaults apply */
  version: z.int().min(0),
})
export type Brand = z.infer<typeof Brand>

/** Where a page is: elsewhere, or a text of `/theming/{host}/page`. */
const Place = z.object({ url: z.string().nullable(), hasText: z.boolean() })

const PublicPage = z.object({
  title: z.string(),
  imprint: Place,
  privacy: Place,
  aboutUrl: z.string().nullable(),
  licencesUrl: z.string().nullable(),
  copyright: z.string(),
})

/** A brand as every visitor of the domain may know it. */
export const PublicBrand = BrandSettings.pick({
  showFooter: true,
  showVersion: true,
  publicManual: true,
  logoPosition: true,
  lightHighlight: true,
  darkHighlight: true,
  lightHighlightCustomer: true,
  darkHighlightCustomer: true,
  font: true,
  sidebarIconLink: true,
  defaultMode: true,
  defaultLanguage: true,
}).extend({
  /** false: the defaults of the platform */
  isBranded: z.boolean(),
  pages: z.object({ de: PublicPage, en: PublicPage }),
  images: Images,
  /** of the account or one above, see `/theming/terms` */
  hasTerms: z.boolean(),
  /** whether `/drawer-links` has links for this domain */
  hasDrawerLinks: z.boolean(),
})
export type PublicBrand = z.infer<typeof PublicBrand>

const manage = may('all', 'manage')
const tags = ['theming']
/** Host name as in the address bar; what is none gets the defaults. */
const Host = z.string().min(1).max(255)
/** Of the account, in its canonical form; empty as in `Brand`. */
const BrandDomain = z.union([z.literal(''), z.string().max(253).overwrite(canonicalDomain).pipe(Domain)])
const Whose = { id: Id, domain: BrandDomain }

/** The brands of domains. */
export const brand = {
  /**
   * The brand of a domain: of the account that has proven it, for all other addresses of the topmost account. An
   * account without a brand has the defaults. Tells nothing about accounts; `tenantId` is ignored.
   */
  ofHost: operation
    .meta({ rule: 'public' })
    .route({ method: 'GET', path: '/theming/{host}', tags, summary: 'Brand of a domain' })
    .input(
      z.object({
        host: Host,
        tenantId: z.string().max(50).optional(),
        themeMode: z.enum(['light', 'dark']).optional(),
      }),
    )
    .output(
      PublicBrand.extend({
        /** the highlight colour of the mode that was asked for, else of light mode */
        highlight: z.string().nullable(),
      }),
    ),
  /** Texts of a domain that must be readable before signing in. */
  page: operation
    .meta({ rule: 'public' })
    .route({
      method: 'GET',
      path: '/theming/{host}/page',
      tags,
      summary: 'Imprint and data protection of a domain',
    })
    .input(z.object({ host: Host, language: BrandLanguage.default('de') }))
    .output(z.object({ imprint: z.string().nullable(), privacy: z.string().nullable() })),
  /** One for each domain the account has proven, and for the topmost account one for all other addresses. */
  list: operation
    .meta({ rule: manage })
    .route({ method: 'GET', path: '/tenant/{id}/brands', tags, summary: 'Brands of an account' })
    .input(z.object({ id: Id }))
    .output(z.object({ items: z.array(Brand) })),
  save: operation
    .meta({ rule: manage })
    .route({ method: 'PUT', path: '/tenant/{id}/brand', tags, summary: 'Set the brand of a domain' })
    .input(z.object({ ...Whose, version: z.int().min(0), settings: BrandSettings }))
    .output(Brand),
  /** Takes all of it back: the defaults apply. */
  delete: operation
    .meta({ rule: manage })
    .route({ method: 'DELETE', path: '/tenant/{id}/brand', tags, summary: 'Delete the brand of a domain' })
    .input(z.object(Whose))
    .output(Done),
  /** Logo and favicon are square; all are PNG pictures that do not move. Refused with `BRAND_IMAGE_REFUSED`. */
  setImage: operation
    .meta({ rule: manage, fileBytesMax: brandLimits.imageBytesMax, clientTimeoutMs: 50_000 })
    .route({ method: 'POST', path: '/tenant/{id}/brand/image', tags, summary: 'Set an image of a brand' })
    .input(z.object({ ...Whose, role: BrandImageRole, file: z.file() }))
    .output(Brand),
  removeImage: operation
    .meta({ rule: manage })
    .route({
      method: 'DELETE',
      path: '/tenant/{id}/brand/image',
      tags,
      summary: 'Remove an image of a brand',
    })
    .input(z.object({ ...Whose, role: BrandImageRole }))
    .output(Brand),
  /** What an administrator should still set up. */
  setup: operation
    .meta({ rule: manage })
    .route({ method: 'GET', path: '/tenant/{id}/setup', tags, summary: 'What is not set up yet' })
    .input(z.object({ id: Id }))
    .output(
      z.object({
        missing: z.array(z.enum(['domain', 'imprint', 'privacy', 'mailServer', 'terms', 'feedback'])),
      }),
    ),
}

/** Why an image is refused. */
export const imageRefusals = ['noPng', 'broken', 'animated', 'notSquare', 'tooLarge'] as const
export type ImageRefusal = (typeof imageRefusals)[number]

/** Icons of drawer links, by the name the console knows them under. */
export const drawerIcons = [
  'link',
  'chart',
  'map',
  'book',
  'mail',
  'phone',
  'building',
  'tool',
  'network',
  'flow',
  'database',
  'shield',
] as const
export const DrawerIcon = z.enum(drawerIcons)
export type DrawerIcon = z.infer<typeof DrawerIcon>

export const DrawerLink = z.object({
  title: z.object({ de: Line(60).pipe(z.string().min(1)), en: Line(60).pipe(z.string().min(1)) }),
  icon: DrawerIcon,
  url: SecureLink.pipe(z.string().min(1)),
})
export type DrawerLink = z.infer<typeof DrawerLink>

const DrawerLinks = z.object({
  links: z.array(DrawerLink).max(brandLimits.drawerLinksMax),
  /** 0: never set */
  version: z.int().min(0),
})

/** Links of the operator in the drawer. */
export const drawerLink = {
  /** In their order; `grafanaUrl` is that of the domain the console was opened under. */
  list: operation
    .meta({ rule: 'session' })
    .route({ method: 'GET', path: '/drawer-links', tags, summary: 'Links in the drawer' })
    .input(z.object({ domain: z.string().max(255).default('') }))
    .output(DrawerLinks.extend({ grafanaUrl: z.string().nullable() })),
  set: operation
    .meta({ rule: may('super.system', 'manage') })
    .route({ method: 'PUT', path: '/drawer-links', tags, summary: 'Set the links in the drawer' })
    .input(DrawerLinks)
    .output(DrawerLinks),
}
