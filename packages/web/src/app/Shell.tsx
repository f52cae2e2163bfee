import { useMediaQuery } from '@mantine/hooks'
import { Outlet } from '@tanstack/react-router'
import { Suspense, useEffect } from 'react'
import { useTranslation } from 'react-i18next'
import { Banners as loadBanners } from '../features/announcements/screens.ts'
import { backgroundOf, useBrand } from '../lib/brand.ts'
import { loadAllTexts } from '../lib/i18n.ts'
import { onDemand } from '../lib/onDemand.ts'
import { useSession, useUserDefaults } from '../lib/session.ts'
import { useStore } from '../lib/store.ts'
import { ErrorBoundary } from '../ui/feedback/ErrorState.tsx'
import { Drawer } from './Drawer.tsx'
import { drawerMiniStore } from './drawerState.ts'
import { Footer } from './Footer.tsx'
import { useFocusReturn } from './focusReturn.ts'
import { loadAhead, whenIdle } from './loadSlots.ts'
import { OfflineBanner } from './OfflineBanner.tsx'
import { usePageEffects, usePathname, useScreen, useShownPath } from './pageEffects.ts'
import { paletteStore } from './paletteState.ts'
import { hasFooter } from './routes.ts'
import { Shortcuts } from './Shortcuts.tsx'
import classes from './shell.module.css'
import { shortcutHelpStore } from './shortcutState.ts'
import { Toolbar } from './Toolbar.tsx'
import { useRecordVisits } from './visits.ts'

const CommandPalette = onDemand(async () => {
  const [palette] = await Promise.all([import('./CommandPalette.tsx'), loadAllTexts()])
  return palette
})
const ShortcutHelp = onDemand(() => import('./ShortcutHelp.tsx'))
const Banners = onDemand(async () => {
  // Its code comes with that of a whole area, which would take processor time from the first screen.
  await whenIdle()
  const [banners] = await Promise.all([loadBanners(), loadAllTexts()])
  return banners
})
const ImpersonationBanner = onDemand(async () => {
  const [banner] = await Promise.all([import('./ImpersonationBanner.tsx'), loadAllTexts()])
  return banner
})
const SmallDrawer = onDemand(() => import('./SmallDrawer.tsx'))

/** Frame of every signed-in screen. Renders nothing between sign-out and the redirect. */
export default function Shell() {
  const { status } = useSession()
  return status === 'user' ? <Frame /> : null
}

/** Drawer, toolbar, content, footer. */
function Frame() {
  const { t } = useTranslation()
  const mini = useStore(drawerMiniStore)
  const small = useMediaQuery('(max-width: 959.98px)', undefined, { getInitialValueInEffect: false })
  const away = useUserDefaults().drawer === false
  const palette = useStore(paletteStore).opened
  const session = useSession()
  const impersonated = session.status === 'user' && session.impersonator !== null
  useRecordVisits()
  const helpOpen = useStore(shortcutHelpStore)
  const screen = useScreen()
  const footer = screen === undefined || hasFooter(screen)
  const pathname = usePathname()
  const shownPath = useShownPath()
  const announcement = usePageEffects()
  const brand = useBrand()
  const background = pathname === '/home' && brand?.images.home
  useFocusReturn()
  useEffect(() => {
    void loadAllTexts()
    void loadAhead()
  }, [])
  return (
    <div className={classes.shell} data-mini={mini || undefined} data-away={away || undefined}>
      <button type="button" className={classes.skip} onClick={() => document.getElementById('main')?.focus()}>
        {t('nav.skip')}
      </button>
      {small || away ? (
        <Suspense>
          <SmallDrawer pathname={pathname} />
        </Suspense>
      ) : (
        <nav className={classes.drawer} aria-label={t('nav.label')}>
          <Drawer mini={mini} />
        </nav>
      )}
      <div className={classes.column}>
        <OfflineBanner />
        {impersonated ? (
          <Suspense>
            <ImpersonationBanner />
          </Suspense>
        ) : null}
        <Suspense>
          <Banners />
        </Suspense>
        <Toolbar small={small} withMenu={small || away} />
        <main
          id="main"
          tabIndex={-1}
          className={classes.main}
          data-path={shownPath}
          style={backgroundOf(background)}
        >
          <ErrorBoundary key={shownPath}>
            <Outlet />
          </ErrorBoundary>
        </main>
        {footer && brand?.showFooter !== false ? <Footer /> : null}
      </div>
      <div role="status" className={classes.hidden}>
        {announcement}
      </div>
      <Shortcuts />
      {helpOpen ? (
        <Suspense>
          <ShortcutHelp />
        </Suspense>
      ) : null}
      {palette ? (
        <Suspense>
          <CommandPalette />
        </Suspense>
      ) : null}
    </div>
  )
}
