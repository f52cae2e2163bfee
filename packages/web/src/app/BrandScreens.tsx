import {
  createHistory,
  createRootRoute,
  createRoute,
  createRouter,
  type RouteComponent,
  RouterProvider,
} from '@tanstack/react-router'
import { type ReactNode, Suspense, useState } from 'react'
import { DevicesPage as loadDevices } from '../features/devices/screens.ts'
import { HelpPage as loadHelp } from '../features/help/screens.ts'
import { HomePage as loadHome } from '../features/home/screens.ts'
import { LoginPage as loadLogin } from '../features/signon/screens.ts'
import { backgroundOf, useBrand } from '../lib/brand.ts'
import { onDemand } from '../lib/onDemand.ts'
import { Drawer } from './Drawer.tsx'
import { Footer } from './Footer.tsx'
import { screenByPath } from './routes.ts'
import classes from './shell.module.css'
import { Toolbar } from './Toolbar.tsx'

const DevicesPage = onDemand(loadDevices)
const HelpPage = onDemand(loadHelp)
const HomePage = onDemand(loadHome)
const LoginPage = onDemand(loadLogin)

/** A history of one address that no link leaves. */
function staying(path: string) {
  const stay = () => undefined
  return createHistory({
    getLocation: () => ({
      href: path,
      pathname: path,
      search: '',
      hash: '',
      state: { __TSR_index: 0, key: 'only', __TSR_key: 'only' },
    }),
    getLength: () => 1,
    pushState: stay,
    replaceState: stay,
    go: stay,
    back: stay,
    forward: stay,
    createHref: (href) => `#${href}`,
  })
}

/**
 * A router of one screen that leads nowhere: the screen finds its own address, and the window keeps that of the settings.
 * None of the effects of a navigation belong to it: title, focus, visited pages and shortcuts are the page's own.
 */
function alone(path: string, component: RouteComponent) {
  const root = createRootRoute()
  const screen = screenByPath(path)
  const route = createRoute({
    getParentRoute: () => root,
    path,
    component,
    staticData: screen ? { screen } : {},
  })
  return createRouter({
    routeTree: root.addChildren([route]),
    history: staying(path),
    defaultPreload: false,
  })
}

/** The home page, for the preview of a brand. */
export function HomeScreen() {
  const [router] = useState(() => alone('/home', Home))
  return <RouterProvider router={router as never} />
}

function Home() {
  const brand = useBrand()
  return (
    <Framed background={brand?.images.home}>
      <HomePage />
    </Framed>
  )
}

/** A list with much in it, for the preview of a brand. */
export function DevicesScreen() {
  const [router] = useState(() => alone('/virtual-devices', Devices))
  return <RouterProvider router={router as never} />
}

function Devices() {
  return (
    <Framed>
      <DevicesPage />
    </Framed>
  )
}

/** Text and a form, for the preview of a brand. */
export function HelpScreen() {
  const [router] = useState(() => alone('/help', Help))
  return <RouterProvider router={router as never} />
}

function Help() {
  return (
    <Framed>
      <HelpPage />
    </Framed>
  )
}

interface FramedProps {
  background?: string | null | undefined
  children: ReactNode
}

/** A screen with menu, toolbar and footer. */
function Framed({ background, children }: FramedProps) {
  const brand = useBrand()
  return (
    <div className={classes.shell}>
      <nav className={classes.drawer}>
        <Drawer mini={false} />
      </nav>
      <div className={classes.column}>
        <Toolbar small={false} withMenu={false} />
        <main className={classes.main} style={backgroundOf(background)}>
          <Suspense>{children}</Suspense>
        </main>
        {brand?.showFooter === false ? null : <Footer />}
      </div>
    </div>
  )
}

/** The sign-in page, for the preview of a brand. */
export function LoginScreen() {
  const [router] = useState(() => alone('/login', Login))
  return <RouterProvider router={router as never} />
}

function Login() {
  return (
    <main className={classes.plain}>
      <Suspense>
        <LoginPage />
      </Suspense>
    </main>
  )
}
