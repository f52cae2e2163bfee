import { Title } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import { DetailTabs } from '../../ui/DetailPage.tsx'
import { ActivityTab } from './ActivityTab.tsx'
import { MailsTab } from './MailsTab.tsx'

/** Who changed what, and which mails went out or are kept. */
export default function SystemLogsPage() {
  const { t } = useTranslation()
  return (
    <>
      <Title order={1} mb="md">
        {t('screens.systemLogs.title')}
      </Title>
      <DetailTabs
        tabs={[
          { key: 'activity', label: t('systemLogs.tab.activity'), content: <ActivityTab /> },
          { key: 'mails', label: t('systemLogs.tab.mails'), content: <MailsTab /> },
        ]}
      />
    </>
  )
}
