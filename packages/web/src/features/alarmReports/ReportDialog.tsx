import { type AlarmReport, AlarmReportInput } from '@leitstand/contract/alarmReports'
import { Alert } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { api, client } from '../../lib/api.ts'
import { currentLanguage } from '../../lib/i18n.ts'
import { useSession } from '../../lib/session.ts'
import { one, useUrlSearch } from '../../lib/url.ts'
import { check } from '../../lib/validation.ts'
import { ErrorState } from '../../ui/feedback/ErrorState.tsx'
import { Loading } from '../../ui/feedback/Loading.tsx'
import { notifySuccess } from '../../ui/feedback/notify.ts'
import { FormModal } from '../../ui/forms/FormModal.tsx'
import { focusFirstFault } from '../../ui/forms/focusFirstFault.ts'
import { useFieldFaults } from '../../ui/forms/useFieldFaults.ts'
import { Wizard } from '../../ui/forms/Wizard.tsx'
import { CheckStep } from './CheckStep.tsx'
import { ContentStep } from './ContentStep.tsx'
import { useReread } from './queries.ts'
import { type StepProps, WhatStep, WhenStep, WhoStep } from './steps.tsx'
import { fieldsOfStep, inputOf, missingIn, newValues, type Values, valuesOf } from './values.ts'

interface ReportDialogProps {
  /** absent: a new one */
  of?: number
  /** a new one like it */
  isCopy?: boolean
  onClose: () => void
}

/** Creates or changes an alarm report, step by step. */
export default function ReportDialog(props: ReportDialogProps) {
  const { t } = useTranslation()
  const isChange = props.of !== undefined && !props.isCopy
  return (
    <FormModal
      opened
      onClose={props.onClose}
      title={t(isChange ? 'alarmReports.edit' : 'alarmReports.create')}
      closeButtonProps={{ 'aria-label': t('common.close') }}
      size="xl"
    >
      {props.of === undefined ? <NewReport {...props} /> : <StoredReport {...props} id={props.of} />}
    </FormModal>
  )
}

function NewReport({ onClose }: ReportDialogProps) {
  const [search] = useUrlSearch()
  const session = useSession()
  const group = one(search, 'group')
  const [initial] = useState(() =>
    newValues({
      accountId: session.status === 'user' ? session.tenantId : null,
      groupId: group === undefined ? null : Number(group),
      language: currentLanguage() === 'de' ? 'de-DE' : 'en-GB',
      timeZone: Intl.DateTimeFormat().resolvedOptions().timeZone || 'Europe/Berlin',
      address: session.status === 'user' ? session.user.email : '',
    }),
  )
  return <ReportWizard initial={initial} onClose={onClose} />
}

function StoredReport({ id, isCopy = false, onClose }: ReportDialogProps & { id: number }) {
  const { t } = useTranslation()
  // As it is now: the list may be older.
  const query = useQuery(api.alarmReports.get.queryOptions({ input: { id }, staleTime: 0, gcTime: 0 }))
  if (query.isError && !query.data)
    return <ErrorState error={query.error} onRetry={() => void query.refetch()} compact />
  if (!query.data) return <Loading lines={6} />
  const report = query.data
  return isCopy ? (
    <ReportWizard
      initial={valuesOf(report, t('alarmReports.copyOf', { title: report.title }))}
      onClose={onClose}
    />
  ) : (
    <ReportWizard report={report} initial={valuesOf(report)} onClose={onClose} />
  )
}

interface ReportWizardProps {
  /** absent: a new one */
  report?: AlarmReport
  initial: Values
  onClose: () => void
}

const checkInput = check(AlarmReportInput)

function useReportForm(initial: Values) {
  const { t } = useTranslation()
  const [values, setValues] = useState(initial)
  const now = useRef(values)
  const set = (change: Partial<Values>) => {
    now.current = { ...now.current, ...change }
    setValues(now.current)
  }
  const faultsOf = (entered: Values): Record<string, string> => {
    const found = checkInput(inputOf(entered))
    const missing = Object.fromEntries(
      Object.keys(missingIn(entered)).map((field) => [
        field,
        t(field === 'way' ? 'alarmReports.noWay' : 'validation.required'),
      ]),
    )
    // `recipients.0` is a fault of the one field for all of them.
    const ofFields = Object.entries(found).map(([path, text]) => [path.split('.')[0] ?? path, text])
    return { ...Object.fromEntries(ofFields.reverse()), ...missing }
  }
  const fields = useFieldFaults(() => now.current, faultsOf)
  /** Shows the faults of a step. @returns whether there are none */
  const passes = (names: readonly string[]): boolean => {
    const found = faultsOf(now.current)
    for (const name of names) fields.show(name)
    const isFine = names.every((name) => found[name] === undefined)
    if (!isFine) focusFirstFault()
    return isFine
  }
  return { values, now, set, fields, passes }
}

function ReportWizard({ report, initial, onClose }: ReportWizardProps) {
  const { t } = useTranslation()
  const readAgain = useReread()
  // The form begins with what was read first, even if the report is read again.
  const [first] = useState({ report, initial })
  const { values, now, set, fields, passes } = useReportForm(first.initial)
  const [finished, setFinished] = useState(false)
  const isDirty = JSON.stringify(values) !== JSON.stringify(first.initial)
  const step: StepProps = {
    values,
    set,
    faultAt: (field) => fields.faults[field] ?? null,
    isNew: first.report === undefined,
  }
  const save = async () => {
    const { accountId, ...input } = AlarmReportInput.parse(inputOf(now.current))
    try {
      if (first.report === undefined) await client.alarmReports.create({ ...input, accountId })
      else {
        const { id, version } = first.report
        await client.alarmReports.update({ ...input, id, version })
      }
    } catch (error) {
      fields.place(error)
      throw error
    }
    setFinished(true)
    notifySuccess(t('alarmReports.saved', { title: input.title }))
    await readAgain()
    onClose()
  }
  return (
    <>
      {first.report !== undefined && first.report.groupId === null ? (
        <Alert color="yellow" mb="md">
          {t('alarmReports.reasons.groupGone')}
        </Alert>
      ) : null}
      <Wizard
        dirty={isDirty && !finished}
        finishLabel={t(first.report === undefined ? 'alarmReports.create' : 'common.save')}
        onFinish={save}
        onCancel={() => {
          setFinished(true)
          onClose()
        }}
        steps={[
          {
            key: 'what',
            label: t('alarmReports.steps.what'),
            content: <WhatStep {...step} />,
            validate: () => passes(fieldsOfStep.what),
          },
          {
            key: 'when',
            label: t('alarmReports.steps.when'),
            content: <WhenStep {...step} />,
            validate: () => passes(fieldsOfStep.when),
          },
          {
            key: 'content',
            label: t('alarmReports.steps.content'),
            content: <ContentStep {...step} />,
            validate: () => passes(fieldsOfStep.content),
          },
          {
            key: 'who',
            label: t('alarmReports.steps.who'),
            content: <WhoStep {...step} />,
            validate: () => passes(fieldsOfStep.who),
          },
          {
            key: 'check',
            label: t('alarmReports.steps.check'),
            content: <CheckStep {...step} />,
          },
        ]}
      />
    </>
  )
}
