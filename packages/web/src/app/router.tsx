import { Button, VisuallyHidden } from '@mantine/core'
import {
  type AnyRoute,
  createHashHistory,
  createRootRoute,
  createRoute,
  createRouter,
  Link,
  lazyRouteComponent,
  Outlet,
  redirect,
} from '@tanstack/react-router'
import { useTranslation } from 'react-i18next'
import { loadAllTexts } from '../lib/i18n.ts'
import { loadCode } from '../lib/onDemand.ts'
import { ensureSession, type Session, verifySession } from '../lib/session.ts'
import { parseSearch, stringifySearch } from '../lib/url.ts'
import { isFramePage, isShownInFrame } from '../lib/visitor.ts'
import { ErrorState } from '../ui/feedback/ErrorState.tsx'
import { Loading } from '../ui/feedback/Loading.tsx'
import { ConsentGate } from './ConsentGate.tsx'
import { awaitFirstData } from './firstData.ts'
import { loadSlots } from './loadSlots.ts'
import { PageFrame } from './PageFrame.tsx'
import { PlannedPage } from './PlannedPage.tsx'
import { redirects, type ScreenRoute, screens } from './routes.ts'
import classes from './shell.module.css'
import { knownPath, targetOf } from './target.ts'
import { placeTypedAddresses } from './typedAddress.ts'

function Root() {
  return (
    <>
      <Outlet />
      <ConsentGate />
    </>
  )
}

const root = createRootRoute({
  component: Root,
  notFoundComponent: () => null,
  beforeLoad: ({ location }) => {
    if (!knownPath(location.pathname))
      throw redirect({ to: '/error', search: { from: location.href }, replace: true })
  },
})

const plain = createRoute({
  getParentRoute: () => root,
  id: 'plain',
  component: () => <PageFrame layout="plain" />,
})
const bare = createRoute({
  getParentRoute: () => root,
  id: 'bare',
  component: () => <PageFrame layout="bare" />,
})
const shell = createRoute({
  getParentRoute: () => root,
  id: 'shell',
  component: lazyRouteComponent(() => loadCode(() => import('./Shell.tsx'))),
  // Without a frame around it, the loader needs its own margin.
  pendingComponent: () => (
    <main className={classes.main}>
      <Pending />
    </main>
  ),
})

function parentOf(screen: ScreenRoute): AnyRoute {
  if (screen.layout === 'shell') return shell
  return screen.layout === 'plain' ? plain : bare
}

function routeOf(screen: ScreenRoute): AnyRoute {
  const load = screen.load
  return createRoute({
    getParentRoute: () => parentOf(screen),
    path: screen.path,
    staticData: { screen },
    component: load ? lazyRouteComponent(() => loadCode(load)) : () => <PlannedPage screen={screen} />,
    beforeLoad: async ({ location, params }) => {
      const session = await guard(screen, location.href)
      if (!session) return
      const { id, twinId } = params as { id?: string; twinId?: string }
      await awaitFirstData(
        { path: screen.path, id: id ?? twinId, hasSearch: location.searchStr !== '' },
        session,
      )
    },
  })
}

/** Screens whose texts are in the first part of the locale files, and that have no slots. */
const firstScreens = new Set(['/login', '/error', '/home'])

/**
 * The route rules of the specification (1, section 2): guests go to the sign-in page and return afterwards;
 * users who may not open a screen go home, or to the error page if they may not open home.
 */
async function guard(screen: ScreenRoute, href: string): Promise<Session | undefined> {
  if (!firstScreens.has(screen.path)) {
    // The screen's own code is loaded at the same time; if it fails, the route reports it.
    screen.load?.().catch(() => undefined)
    await Promise.all([loadCode(loadAllTexts), loadCode(loadSlots)])
  }
  if (isFramePage(window.location.pathname) && !isShownInFrame(screen.key))
    throw redirect({ to: '/error', replace: true })
  const needsSession = screen.rule !== 'public' || screen.path === '/login'
  if (!needsSession) return undefined
  const session = await (screen.rule === 'public' ? verifySession() : ensureSession())
  const target = targetOf(screen, href, session)
  if (target) throw redirect({ ...target, replace: true })
  return session
}

const redirectRoutes = redirects.map(({ from, to }) =>
  createRoute({
    getParentRoute: () => root,
    path: from,
    beforeLoad: () => {
      throw redirect({ to, replace: true })
    },
  }),
)

const routesOf = (parent: AnyRoute) => screens.filter((screen) => parentOf(screen) === parent).map(routeOf)

const routeTree: AnyRoute = root.addChildren([
  plain.addChildren(routesOf(plain)),
  bare.addChildren(routesOf(bare)),
  shell.addChildren(routesOf(shell)),
  ...redirectRoutes,
])

/** Shown while a screen's code or the session is loading. */
function Pending() {
  const { t } = useTranslation()
  return (
    <>
      <VisuallyHidden component="h1">{t('common.loading')}</VisuallyHidden>
      <Loading />
    </>
  )
}

/** Shown instead of a screen that cannot be shown. */
function Failed({ error, reset }: { error: unknown; reset: () => void }) {
  const { t } = useTranslation()
  const links = [
    ['/home', 'home'],
    ['/help', 'contact'],
  ] as const
  return (
    <ErrorState
      order={1}
      error={error}
      onRetry={reset}
      actions={links.map(([to, key]) => (
        <Button key={key} variant="default" renderRoot={(props) => <Link {...props} to={to} />}>
          {t(`errorPage.${key}`)}
        </Button>
      ))}
    />
  )
}

const settleAddress = placeTypedAddresses(window, () => history)
const history = createHashHistory()
history.subscribe(settleAddress)

export const router = createRouter({
  routeTree,
  history,
  parseSearch,
  stringifySearch,
  defaultPreload: 'intent',
  defaultPreloadDelay: 80,
  defaultPendingMs: 150,
  defaultPendingMinMs: 0,
  scrollRestoration: true,
  defaultPendingComponent: Pending,
  defaultErrorComponent: Failed,
})

declare module '@tanstack/react-router' {
  interface StaticDataRouteOption {
    screen?: ScreenRoute
  }
}
