import { Alert, Checkbox, Stack, Text } from '@mantine/core'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import type { client } from '../../lib/api.ts'
import { formatNumber } from '../../lib/format.ts'
import { Fact } from '../../ui/display/Fact.tsx'
import { SimpleTable } from '../../ui/list/SimpleTable.tsx'
import { Section } from '../../ui/page/Section.tsx'
import { UnacceptedDrivers } from '../drivers/index.ts'
import { faultText } from '../jobs/index.ts'
import classes from './bulk.module.css'
import { JobTitle } from './JobTitle.tsx'

export type Preview = Awaited<ReturnType<typeof client.bulk.preview>>

interface CheckStepProps {
  preview: Preview
  skipFaulty: boolean
  onSkip: (skip: boolean) => void
  /** ids of other accounts' drivers that the user accepts */
  accepted: readonly number[]
  onAccept: (accepted: number[]) => void
  title: string
  onTitle: (title: string) => void
  /** the last button was pressed */
  confirmed: boolean
}

/** Result of the dry run, and whether to skip rows with errors. */
export function CheckStep(props: CheckStepProps) {
  const { preview, accepted, onAccept, ...rest } = props
  const { t } = useTranslation()
  const { rows, drivers, devicesMax } = preview
  return (
    <CheckedRows
      preview={preview}
      of={t('jobs.rows.device')}
      tooMany={
        rows > devicesMax ? t('bulk.tooMany', { max: formatNumber(devicesMax, 0), count: rows }) : null
      }
      {...rest}
    >
      <UnacceptedDrivers drivers={drivers} accepted={accepted} onChange={onAccept} asked={props.confirmed} />
    </CheckedRows>
  )
}

interface CheckedRowsProps extends Omit<CheckStepProps, 'preview' | 'accepted' | 'onAccept'> {
  preview: Pick<Preview, 'valid' | 'faulty' | 'faults'>
  /** what a row is, as the title of its column */
  of: string
  /** said when there are more rows than a job may have */
  tooMany: string | null
  /** before the last fields */
  children?: ReactNode
}

/** Counts and faults of the rows of a file, and the title of the job. */
export function CheckedRows(props: CheckedRowsProps) {
  const { preview, of, tooMany, skipFaulty, onSkip, title, onTitle, confirmed, children } = props
  const { t } = useTranslation()
  const { valid, faulty, faults } = preview
  return (
    <Stack gap="lg">
      <div>
        <Text c="dimmed" size="sm" mb={8}>
          {t('bulk.import.checked')}
        </Text>
        <div className={classes.counts}>
          <Fact label={t('bulk.import.valid')}>{formatNumber(valid, 0)}</Fact>
          <Fact label={t('bulk.import.faulty')}>{formatNumber(faulty, 0)}</Fact>
        </div>
      </div>
      {tooMany === null ? null : <Alert color="red">{tooMany}</Alert>}
      {valid === 0 ? <Alert color="red">{t('bulk.import.noneValid')}</Alert> : null}
      {faulty > 0 ? <FaultTable of={of} faults={faults} faulty={faulty} /> : null}
      {children}
      {valid > 0 ? (
        <Stack gap="md" maw={640}>
          {faulty > 0 ? (
            <Checkbox
              label={t('bulk.import.skipFaulty')}
              description={t('bulk.import.skipFaultyHint')}
              checked={skipFaulty}
              onChange={(event) => onSkip(event.currentTarget.checked)}
              error={confirmed && !skipFaulty ? t('bulk.import.skipNeeded') : undefined}
            />
          ) : null}
          <JobTitle value={title} onChange={onTitle} asked={confirmed} />
          <Text size="sm">{t('bulk.background')}</Text>
        </Stack>
      ) : null}
    </Stack>
  )
}

function FaultTable({ of, faults, faulty }: { of: string } & Pick<Preview, 'faults' | 'faulty'>) {
  const { t } = useTranslation()
  return (
    <Section title={t('bulk.import.faults')} flush>
      <SimpleTable
        label={t('bulk.import.faults')}
        rows={faults}
        rowKey={({ row }) => row}
        inset="md"
        columns={[
          {
            key: 'row',
            title: t('jobs.rows.row'),
            width: 64,
            card: 'fact',
            className: 'tabular',
            render: ({ row }) => row,
          },
          { key: 'of', title: of, card: 'title', wraps: true, render: ({ title }) => title },
          {
            key: 'fault',
            title: t('jobs.rows.fault'),
            render: (row) => (
              <div>
                <Faults faults={row.faults} />
              </div>
            ),
          },
        ]}
      />
      {faults.length < faulty ? (
        <Text size="sm" c="dimmed" p="md">
          {t('bulk.import.faultsCut', { count: faults.length })}
        </Text>
      ) : null}
    </Section>
  )
}

function Faults({ faults }: Pick<Preview['faults'][number], 'faults'>) {
  const { t } = useTranslation()
  return faults.map((fault) => <div key={`${fault.code} ${fault.column}`}>{faultText(t, fault)}</div>)
}
