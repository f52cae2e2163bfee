import { Title } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import { useCan } from '../../lib/session.ts'
import { DetailTabs } from '../../ui/page/DetailPage.tsx'
import { ActivityTab } from '../activity/index.ts'
import { FaultyJobs } from '../jobs/index.ts'
import { DiskTab } from './disk/DiskTab.tsx'
import { MailsTab } from './MailsTab.tsx'
import { NodesTab } from './nodes/NodesTab.tsx'
import { ParkedEventsTab } from './ParkedEventsTab.tsx'
import { ServerLogTab } from './ServerLogTab.tsx'
import { SignInsTab } from './SignInsTab.tsx'

/** System logs: activity, failed sign-ins, mails, failed jobs, warnings and errors of the server, failed events, what uses the disk, and the nodes. */
export default function SystemLogsPage() {
  const { t } = useTranslation()
  const can = useCan()
  return (
    <>
      <Title order={1} mb="md">
        {t('screens.systemLogs.title')}
      </Title>
      <DetailTabs
        tabs={[
          { key: 'activity', label: t('systemLogs.tab.activity'), content: <ActivityTab /> },
          { key: 'sign-ins', label: t('systemLogs.tab.signIns'), content: <SignInsTab /> },
          { key: 'mails', label: t('systemLogs.tab.mails'), content: <MailsTab /> },
          { key: 'jobs', label: t('systemLogs.tab.jobs'), content: <FaultyJobs /> },
          ...(can('super.system', 'manage')
            ? [
                { key: 'server', label: t('systemLogs.tab.server'), content: <ServerLogTab /> },
                { key: 'parked', label: t('systemLogs.tab.parked'), content: <ParkedEventsTab /> },
                { key: 'disk', label: t('systemLogs.tab.disk'), content: <DiskTab /> },
                { key: 'nodes', label: t('systemLogs.tab.nodes'), content: <NodesTab /> },
              ]
            : []),
        ]}
      />
    </>
  )
}
