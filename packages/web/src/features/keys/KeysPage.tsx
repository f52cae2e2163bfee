import { Group, Text, Title } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import { DetailTabs } from '../../ui/page/DetailPage.tsx'
import { RouterLink } from '../../ui/page/RouterLink.tsx'
import { GroupsTab } from './manage/GroupsTab.tsx'
import { KeysTab } from './manage/KeysTab.tsx'
import { LocksTab } from './manage/LocksTab.tsx'
import { LogTab } from './manage/LogTab.tsx'
import { useLiveKeys } from './useLiveKeys.ts'

/** Keys, the locks they open and the log of that, `/fm-access-mgmt`, live. */
export default function KeysPage() {
  const { t } = useTranslation()
  useLiveKeys()
  return (
    <>
      <Group justify="space-between" align="baseline" mb="md">
        <Title order={1}>{t('screens.fmAccessMgmt.title')}</Title>
        <Text size="sm">
          <RouterLink to="/fm-access">{t('screens.fmAccess.title')}</RouterLink>
        </Text>
      </Group>
      <DetailTabs
        tabs={[
          { key: 'keys', label: t('keys.tab.keys'), content: <KeysTab /> },
          { key: 'locks', label: t('keys.tab.locks'), content: <LocksTab /> },
          { key: 'groups', label: t('keys.tab.groups'), content: <GroupsTab /> },
          { key: 'log', label: t('keys.tab.log'), content: <LogTab /> },
        ]}
      />
    </>
  )
}
