import { ExportScheduleInput } from '@leitstand/contract/exportSchedules'
import { ExportSelection } from '@leitstand/contract/exports'
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
import { useReread } from './queries.ts'
import { FileStep, type StepProps, ValuesStep, WhenStep } from './steps.tsx'
import { WhereStep } from './targets.tsx'
import { copiedValues, inputOf, missingSecrets, newValues, pathsOfStep, type Values } from './values.ts'
import { WhatStep } from './WhatStep.tsx'

interface ScheduleDialogProps {
  /** a new one like it */
  copyOf?: number
  onClose: () => void
}

/** Creates an export schedule, step by step. */
export default function ScheduleDialog({ copyOf, onClose }: ScheduleDialogProps) {
  const { t } = useTranslation()
  return (
    <FormModal
      opened
      onClose={onClose}
      title={t('exportSchedules.create')}
      closeButtonProps={{ 'aria-label': t('common.close') }}
      size="xl"
    >
      {copyOf === undefined ? <NewSchedule onClose={onClose} /> : <Copy copyOf={copyOf} onClose={onClose} />}
    </FormModal>
  )
}

/** `?selection=` is what was chosen in a list. */
function NewSchedule({ onClose }: { onClose: () => void }) {
  const [search] = useUrlSearch()
  const session = useSession()
  const [initial] = useState(() =>
    newValues({
      accountId: session.status === 'user' ? session.tenantId : null,
      address: session.status === 'user' ? session.user.email : '',
      selection: selectionOf(one(search, 'selection')),
    }),
  )
  return <ScheduleWizard initial={initial} onClose={onClose} />
}

/** A selection in an address; null: there is none, or it is not one. */
function selectionOf(text: string | undefined): ExportSelection | null {
  if (text === undefined) return null
  try {
    return ExportSelection.safeParse(JSON.parse(text)).data ?? null
  } catch (error) {
    if (error instanceof SyntaxError) return null
    throw error
  }
}

function Copy({ copyOf, onClose }: { copyOf: number; onClose: () => void }) {
  const { t } = useTranslation()
  const query = useQuery(
    api.exportSchedules.get.queryOptions({ input: { id: copyOf }, staleTime: 0, gcTime: 0 }),
  )
  if (query.isError && !query.data)
    return <ErrorState error={query.error} onRetry={() => void query.refetch()} compact />
  if (!query.data) return <Loading lines={6} />
  const schedule = query.data
  const values = copiedValues(schedule, t('exportSchedules.copyOf', { title: schedule.title }))
  // Only who may change the original may use its secrets.
  return schedule.editable ? (
    <ScheduleWizard copyOf={copyOf} initial={values} onClose={onClose} />
  ) : (
    <ScheduleWizard initial={withoutSecrets(values)} onClose={onClose} />
  )
}

const withoutSecrets = (values: Values): Values => ({
  ...values,
  targets: values.targets.map((target) => ({ ...target, hasSecret: false })),
})

interface WizardProps {
  copyOf?: number
  initial: Values
  onClose: () => void
}

const checkInput = check(ExportScheduleInput)

function useScheduleForm({ initial, copyOf }: Omit<WizardProps, 'onClose'>) {
  const { t } = useTranslation()
  const [values, setValues] = useState(initial)
  const now = useRef(values)
  const set = (change: Partial<Values>) => {
    now.current = { ...now.current, ...change }
    setValues(now.current)
  }
  const input = () => inputOf(now.current, currentLanguage(), copyOf)
  const faultsOf = (entered: Values): Record<string, string> => {
    const found = checkInput(inputOf(entered, currentLanguage(), copyOf))
    const missing = missingSecrets(entered).map((path) => [path, t('validation.required')])
    // `targets.0.recipients.1` is a fault of the one field for all of them.
    const ofFields = Object.entries(found).map(([path, text]) => [
      path
        .replace(/^(targets\.\d+\.(?:recipients|forward)).*$/, '$1')
        .replace(/^(targets\.\d+)\.target\./, '$1.'),
      path.endsWith('.forward') ? t('exportSchedules.notJson') : text,
    ])
    return Object.fromEntries([...ofFields.reverse(), ...missing])
  }
  const fields = useFieldFaults(() => now.current, faultsOf)
  /** Shows the faults of a step. @returns whether there are none */
  const passes = (paths: readonly string[]): boolean => {
    const found = Object.keys(faultsOf(now.current)).filter((name) =>
      paths.some((path) => name === path || name.startsWith(`${path}.`)),
    )
    for (const name of found) fields.show(name)
    if (found.length > 0) focusFirstFault()
    return found.length === 0
  }
  return { values, set, input, fields, passes }
}

function ScheduleWizard({ copyOf, initial, onClose }: WizardProps) {
  const { t } = useTranslation()
  const readAgain = useReread()
  const [first] = useState(initial)
  const form = useScheduleForm({ initial: first, ...(copyOf === undefined ? {} : { copyOf }) })
  const { values, set, fields, passes } = form
  const [finished, setFinished] = useState(false)
  const step: StepProps = {
    values,
    set,
    faultAt: (path) => fields.faults[path] ?? null,
    copyOf,
  }
  const save = async () => {
    const input = ExportScheduleInput.parse(form.input())
    await client.exportSchedules.create(input)
    setFinished(true)
    notifySuccess(t('exportSchedules.saved', { title: input.title }))
    await readAgain()
    onClose()
  }
  return (
    <Wizard
      dirty={JSON.stringify(values) !== JSON.stringify(first) && !finished}
      finishLabel={t('exportSchedules.create')}
      onFinish={save}
      onCancel={() => {
        setFinished(true)
        onClose()
      }}
      steps={[
        {
          key: 'what',
          label: t('exportSchedules.steps.what'),
          content: <WhatStep {...step} />,
          validate: () => passes(pathsOfStep.what),
        },
        {
          key: 'when',
          label: t('exportSchedules.steps.when'),
          content: <WhenStep {...step} />,
          validate: () => passes(pathsOfStep.when),
        },
        // A dashboard says itself which values it shows.
        ...(values.dashboardId === null
          ? [
              {
                key: 'values',
                label: t('exportSchedules.steps.values'),
                content: <ValuesStep {...step} />,
                validate: () => passes(pathsOfStep.values),
              },
            ]
          : []),
        {
          key: 'where',
          label: t('exportSchedules.steps.where'),
          content: <WhereStep {...step} />,
          validate: () => passes(pathsOfStep.where),
        },
        {
          key: 'file',
          label: t('exportSchedules.steps.file'),
          content: <FileStep {...step} />,
          validate: () => passes(pathsOfStep.file),
        },
      ]}
    />
  )
}
