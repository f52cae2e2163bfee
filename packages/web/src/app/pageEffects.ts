import { useRouterState } from '@tanstack/react-router'
import { useEffect, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useBrand } from '../lib/brand.ts'
import { currentLanguage } from '../lib/i18n.ts'
import { pageTitleStore } from '../lib/page.ts'
import { useStore } from '../lib/store.ts'
import type { ScreenRoute } from './routes.ts'

/** The screen of the current route. */
export function useScreen(): ScreenRoute | undefined {
  return useRouterState({
    select: (state) =>
      state.matches.map((match) => match.staticData.screen).findLast((screen) => screen !== undefined),
  })
}

/** Path of the current location, without its query. */
export function usePathname(): string {
  return useRouterState({ select: (state) => state.location.pathname })
}

/** Path of the screen that is shown; the previous one while the next is loading. */
export function useShownPath(): string {
  return useRouterState({ select: (state) => state.matches.at(-1)?.pathname ?? '' })
}

/**
 * Effects of every navigation: sets the window's title, focuses the page content and returns an announcement
 * for screen readers. The first page keeps the browser's focus.
 * @returns the text to announce
 */
export function usePageEffects(): string {
  const { t } = useTranslation()
  const screen = useScreen()
  const pathname = usePathname()
  const own = useStore(pageTitleStore)
  const title = own ?? (screen ? t(`screens.${screen.key}.title`) : '')
  const [announcement, setAnnouncement] = useState('')
  const previous = useRef(pathname)

  const brand = useBrand()
  const language = currentLanguage()
  useEffect(() => {
    const site = brand?.pages[language].title ?? 'IoT Platform'
    document.title = title ? `${title} · ${site}` : site
  }, [title, brand, language])

  useEffect(() => {
    if (previous.current === pathname) return
    previous.current = pathname
    const main = document.getElementById('main')
    // A dialog or a field that took the focus by itself keeps it.
    if (!main?.contains(document.activeElement)) main?.focus({ preventScroll: true })
    setAnnouncement(title)
  }, [pathname, title])

  return announcement
}
