import { MantineProvider } from '@mantine/core'
import { QueryClientProvider } from '@tanstack/react-query'
import { RouterProvider } from '@tanstack/react-router'
import { Suspense, useEffect, useMemo } from 'react'
import { useTranslation } from 'react-i18next'
import { queryClient } from '../lib/api.ts'
import { useBrand } from '../lib/brand.ts'
import { onDemand } from '../lib/onDemand.ts'
import { useSession, useUserDefaults } from '../lib/session.ts'
import { useStore } from '../lib/store.ts'
import { colorSchemeManager } from '../lib/theming.ts'
import { visitorStore } from '../lib/visitor.ts'
import { noticeStore } from '../ui/feedback/notify.ts'
import { accentFrom, accentOf, accentsOfBrand, ownDark, ownLight } from '../ui/theme/accent.ts'
import { cssVariablesFor, themeFor } from '../ui/theme/theme.ts'
import { router } from './router.tsx'
import { UserDefaultsApplier } from './UserDefaultsApplier.tsx'

const Notices = onDemand(() => import('./Notices.tsx'))
const schemes = colorSchemeManager()

/** Providers around the router. */
export function App() {
  const { t } = useTranslation()
  const close = t('common.close')
  const isVisitor = useStore(visitorStore) !== null
  const defaults = useUserDefaults()
  const brand = useBrand()
  const own = accentOf(defaults)
  const [light, dark] = accentsOfBrand(brand, defaults)
  const accent = useMemo(
    () =>
      own ? accentFrom(own) : light || dark ? accentFrom(light ?? ownLight, dark ?? ownDark) : undefined,
    [own, light, dark],
  )
  const font = brand?.font
  const theme = useMemo(() => themeFor({ close }, accent, font), [close, accent, font])
  const variables = useMemo(() => cssVariablesFor(accent), [accent])
  return (
    <MantineProvider
      theme={theme}
      cssVariablesResolver={variables}
      defaultColorScheme={brand?.defaultMode ?? 'auto'}
      colorSchemeManager={schemes}
      // The specification wants public pages white.
      {...(isVisitor ? { forceColorScheme: 'light' as const } : {})}
    >
      <QueryClientProvider client={queryClient}>
        <NoticesOnDemand />
        <UserDefaultsApplier />
        <SessionWatcher />
        <RouterProvider router={router} />
      </QueryClientProvider>
    </MantineProvider>
  )
}

/** Runs the route rules again when the session ends while a screen is open. */
function SessionWatcher() {
  const { status } = useSession()
  useEffect(() => {
    if (status === 'guest') void router.invalidate()
  }, [status])
  return null
}

/** Mounts the notices with the first one. */
function NoticesOnDemand() {
  const count = useStore(noticeStore)
  if (count === 0) return null
  return (
    <Suspense>
      <Notices />
    </Suspense>
  )
}
