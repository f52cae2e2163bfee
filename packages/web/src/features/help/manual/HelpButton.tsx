import { ActionIcon, Drawer, Text, Tooltip } from '@mantine/core'
import { useHotkeys } from '@mantine/hooks'
import { IconHelpCircle } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { useRouterState } from '@tanstack/react-router'
import { Suspense, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useIsPreview } from '../../../lib/brand.ts'
import { currentLanguage } from '../../../lib/i18n.ts'
import { onDemand } from '../../../lib/onDemand.ts'
import { Icon } from '../../../ui/display/Icon.tsx'
import { ErrorState } from '../../../ui/feedback/ErrorState.tsx'
import { Loading } from '../../../ui/feedback/Loading.tsx'
import { RouterLink } from '../../../ui/page/RouterLink.tsx'
import { helpFor } from './context.ts'
import { loadPage, type ManualPageName } from './pages.ts'
import { titleOf } from './text.ts'

const ManualText = onDemand(async () => ({ default: (await import('./ManualText.tsx')).ManualText }))

/** Opens what the manual says about the screen, beside it. F1 does the same. */
export default function HelpButton() {
  const { t } = useTranslation()
  const path = useRouterState({ select: ({ location }) => location.pathname })
  const [opened, setOpened] = useState(false)
  const page = helpFor(path) ?? 'start'
  useHotkeys(useIsPreview() ? [] : [['F1', () => setOpened((before) => !before)]], [])
  return (
    <>
      <Tooltip label={t('manual.help')}>
        <ActionIcon aria-label={t('manual.help')} size={36} onClick={() => setOpened(true)}>
          <Icon of={IconHelpCircle} />
        </ActionIcon>
      </Tooltip>
      <HelpDrawer page={page} opened={opened} onClose={() => setOpened(false)} />
    </>
  )
}

interface HelpDrawerProps {
  page: ManualPageName
  opened: boolean
  onClose: () => void
}

function HelpDrawer({ page, opened, onClose }: HelpDrawerProps) {
  const { t } = useTranslation()
  const language = currentLanguage()
  const text = useQuery({
    queryKey: ['manual', 'page', language, page],
    queryFn: () => loadPage(language, page),
    enabled: opened,
    staleTime: Number.POSITIVE_INFINITY,
  })
  return (
    <Drawer
      opened={opened}
      onClose={onClose}
      position="right"
      size={460}
      title={text.data ? titleOf(text.data) : t('manual.help')}
    >
      <Text mb="sm">
        <RouterLink to={`/manual/${page}`} onClick={onClose}>
          {t('manual.open')}
        </RouterLink>
      </Text>
      {text.error ? <ErrorState error={text.error} onRetry={() => void text.refetch()} /> : null}
      {text.data ? (
        <Suspense fallback={<Loading lines={8} />}>
          <ManualText key={page} markdown={text.data} isPart />
        </Suspense>
      ) : text.error ? null : (
        <Loading lines={8} />
      )}
    </Drawer>
  )
}
