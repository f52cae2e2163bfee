import { MantineProvider } from '@mantine/core'
import { ModalsProvider } from '@mantine/modals'
import { Notifications } from '@mantine/notifications'
import { QueryClientProvider } from '@tanstack/react-query'
import { RouterProvider } from '@tanstack/react-router'
import { useEffect } from 'react'
import { useTranslation } from 'react-i18next'
import { queryClient } from '../lib/api.ts'
import { useSession } from '../lib/session.ts'
import { colorSchemeManager } from '../lib/theming.ts'
import { cssVariables, theme } from '../ui/theme.ts'
import { router } from './router.tsx'
import { UserDefaultsApplier } from './UserDefaultsApplier.tsx'

const schemes = colorSchemeManager()

/** Providers around the router. */
export function App() {
  const { t } = useTranslation()
  return (
    <MantineProvider
      theme={theme}
      cssVariablesResolver={cssVariables}
      defaultColorScheme="auto"
      colorSchemeManager={schemes}
    >
      <QueryClientProvider client={queryClient}>
        <ModalsProvider labels={{ confirm: t('common.ok'), cancel: t('common.cancel') }}>
          <Notifications position="bottom-right" limit={4} />
          <UserDefaultsApplier />
          <SessionWatcher />
          <RouterProvider router={router} />
        </ModalsProvider>
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
