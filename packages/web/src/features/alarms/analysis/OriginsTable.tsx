import type { AlarmAnalysis } from '@leitstand/contract/alarms'
import { ActionIcon, Button, Text, Tooltip } from '@mantine/core'
import { IconDownload } from '@tabler/icons-react'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { formatNumber } from '../../../lib/format.ts'
import { stringifySearch } from '../../../lib/url.ts'
import { Icon } from '../../../ui/display/Icon.tsx'
import { download, toCsv } from '../../../ui/list/csv.ts'
import { SimpleTable } from '../../../ui/list/SimpleTable.tsx'
import { RouterLink } from '../../../ui/page/RouterLink.tsx'
import { Section } from '../../../ui/page/Section.tsx'
import { durationText } from '../duration.ts'
import { originPath } from '../pure.ts'
import classes from './analysis.module.css'

type Origin = AlarmAnalysis['origins'][number]

interface OriginsTableProps {
  title: string
  origins: readonly Origin[]
  /** of the alarm log that the numbers lead to */
  logFilter: Record<string, unknown>
}

/** Rows before all are asked for. */
const firstRows = 10

/** What had alarms, how many and how long; names lead to the device or twin, numbers to the alarm log. */
export function OriginsTable({ title, origins, logFilter }: OriginsTableProps) {
  const { t } = useTranslation()
  const [isWhole, setWhole] = useState(false)
  const nameOf = ({ originTitle }: Origin) => originTitle || t('alarms.platform')
  const logOf = (origin: Origin) =>
    `/alarm-logs${stringifySearch(
      origin.originId === null
        ? { ...logFilter, source: 'platform' }
        : { ...logFilter, q: origin.originTitle },
    )}`
  const save = () => {
    const header = [
      t('alarms.origin'),
      t('alarms.account'),
      t('alarms.analysis.alarms'),
      t('alarms.analysis.occurrences'),
      `${t('alarms.duration')} [s]`,
    ]
    const rows = origins.map((each) => [
      nameOf(each),
      each.accountName,
      each.alarms,
      each.occurrences,
      each.seconds,
    ])
    download(`${title}.csv`, toCsv(header, rows))
  }
  const label = t('alarms.analysis.csv', { title })
  return (
    <Section
      title={title}
      flush
      actions={
        <Tooltip label={label}>
          <ActionIcon variant="default" size={34} aria-label={label} onClick={save}>
            <Icon of={IconDownload} />
          </ActionIcon>
        </Tooltip>
      }
    >
      <SimpleTable<Origin>
        label={title}
        inset="md"
        rows={isWhole ? origins : origins.slice(0, firstRows)}
        rowKey={(each) => `${each.originCategory} ${each.originId} ${each.accountId}`}
        columns={[
          {
            key: 'origin',
            title: t('alarms.origin'),
            wraps: true,
            render: (each) => (
              <>
                <RouterLink to={originPath(each)} c="inherit" fw={550}>
                  {nameOf(each)}
                </RouterLink>
                <Text size="xs" c="dimmed">
                  {each.accountName}
                </Text>
              </>
            ),
          },
          {
            key: 'alarms',
            title: t('alarms.analysis.alarms'),
            align: 'right',
            render: (each) => (
              <RouterLink
                to={logOf(each)}
                aria-label={t('alarms.analysis.inLog', { count: each.alarms, title: nameOf(each) })}
              >
                {formatNumber(each.alarms, 0)}
              </RouterLink>
            ),
          },
          {
            key: 'occurrences',
            title: t('alarms.analysis.occurrences'),
            align: 'right',
            render: (each) => formatNumber(each.occurrences, 0),
          },
          {
            key: 'seconds',
            title: t('alarms.duration'),
            align: 'right',
            render: (each) => <span className={classes.duration}>{durationText(each.seconds * 1000)}</span>,
          },
        ]}
      />
      {isWhole || origins.length <= firstRows ? null : (
        <Button variant="subtle" size="xs" m="xs" onClick={() => setWhole(true)}>
          {t('alarms.analysis.all', { count: origins.length })}
        </Button>
      )}
    </Section>
  )
}
