import { AlarmReportInput, alarmReportLanguages, alarmReportLimits } from '@leitstand/contract/alarmReports'
import { Checkbox, Select, Stack, Text, TextInput } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { api } from '../../lib/api.ts'
import { ErrorState } from '../../ui/feedback/ErrorState.tsx'
import { Loading } from '../../ui/feedback/Loading.tsx'
import classes from './alarmReports.module.css'
import type { StepProps } from './steps.tsx'
import { previewOf, tablesOfType, type Values } from './values.ts'

const settleMs = 600

/** What it says: language, subject and tables, with a preview. */
export function ContentStep({ values, set, faultAt }: StepProps) {
  const { t } = useTranslation()
  return (
    <div className={classes.content}>
      <Stack gap="md">
        <TextInput
          label={t('alarmReports.subject')}
          placeholder={t('alarmReports.subjectHint')}
          required
          autoComplete="off"
          maxLength={alarmReportLimits.subjectLengthMax}
          value={values.subject}
          onChange={(event) => set({ subject: event.currentTarget.value })}
          error={faultAt('subject')}
        />
        <Select
          label={t('alarmReports.language')}
          data={alarmReportLanguages.map((value) => ({ value, label: t(`alarmReports.languages.${value}`) }))}
          allowDeselect={false}
          value={values.language}
          onChange={(language) => set({ language: language as Values['language'] })}
        />
        <Checkbox.Group
          label={t('alarmReports.tables')}
          value={values.tables}
          onChange={(tables) => set({ tables: tables as Values['tables'] })}
          error={faultAt('tables')}
        >
          <Stack gap={8} mt={6}>
            {tablesOfType[values.type].map((table) => (
              <Checkbox key={table} value={table} label={t(`alarmReports.tableNames.${table}`)} />
            ))}
          </Stack>
        </Checkbox.Group>
      </Stack>
      <Preview values={values} />
    </div>
  )
}

/** How it would look now. */
function Preview({ values }: { values: Values }) {
  const { t } = useTranslation()
  const [settled] = useDebouncedValue(values, settleMs)
  const input = AlarmReportInput.safeParse(previewOf(settled))
  const query = useQuery({
    ...api.alarmReports.test.queryOptions({
      input: { ...(input.data as AlarmReportInput), send: false },
      placeholderData: keepPreviousData,
      staleTime: 60_000,
      retry: false,
    }),
    enabled: input.success,
  })
  return (
    <section aria-label={t('alarmReports.preview')} className={classes.preview}>
      <Text size="sm" fw={500}>
        {t('alarmReports.preview')}
      </Text>
      {query.data ? (
        <>
          <iframe
            // No scripts, no forms, no links out of it: it shows what devices and users are called.
            sandbox=""
            title={t('alarmReports.preview')}
            srcDoc={query.data.html}
            className={classes.frame}
          />
          <Text size="xs" c="dimmed" role="status">
            {t(query.data.met ? 'alarmReports.met' : 'alarmReports.notMet')}
          </Text>
        </>
      ) : query.isError ? (
        <ErrorState error={query.error} onRetry={() => void query.refetch()} compact />
      ) : (
        <Loading lines={6} />
      )}
    </section>
  )
}
