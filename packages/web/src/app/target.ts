import { isAllowed } from '@leitstand/contract/permissions'
import { safeRedirect } from '../lib/redirect.ts'
import type { Session } from '../lib/session.ts'
import { one, parseSearch } from '../lib/url.ts'
import { toLocation } from '../ui/page/location.ts'
import { redirects, type ScreenRoute, screens } from './routes.ts'

type Target = { to: string; search?: Record<string, string | string[]> }

/**
 * Where a navigation goes instead of the screen; undefined: to the screen. Guests and users without their
 * second factor go to the sign-in page, users without permission home, or to the error page from there. A user
 * on the sign-in page continues to where they wanted to go.
 */
export function targetOf(
  screen: Pick<ScreenRoute, 'path' | 'rule'>,
  href: string,
  session: Session,
): Target | undefined {
  const isSignedIn = session.status === 'user' && !session.needsTwoFactor
  if (screen.rule === 'public')
    return screen.path === '/login' && isSignedIn ? toLocation(safeRedirect(wantedIn(href))) : undefined
  if (!isSignedIn) return { to: '/login', search: href === '/home' ? {} : { redirect: href } }
  const { permissions } = session.access
  const isOpen = isAllowed(screen.rule, true, (subject, action) =>
    permissions.includes(`${subject}.${action}`),
  )
  return isOpen ? undefined : { to: screen.path === '/home' ? '/error' : '/home' }
}

function wantedIn(href: string): string | undefined {
  const at = href.indexOf('?')
  return at < 0 ? undefined : one(parseSearch(href.slice(at)), 'redirect')
}

const patterns = [...screens.map((screen) => screen.path), ...redirects.map(({ from }) => from)].map(
  (path) => new RegExp(`^${path.replace(/\/$/, '').replace(/\$[a-zA-Z]+/g, '[^/]+')}/?$`),
)

/** Whether a path is that of a screen, now or in an old link. */
export function knownPath(pathname: string): boolean {
  return patterns.some((pattern) => pattern.test(pathname))
}
