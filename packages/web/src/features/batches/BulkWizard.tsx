import { Alert, Radio, Stack, Text, TextInput, Title } from '@mantine/core'
import { useNavigate } from '@tanstack/react-router'
import { type ReactNode, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Wizard } from '../../ui/forms/Wizard.tsx'
import bulkClasses from './bulk.module.css'
import { JobTitle, proposedTitle, titleFits } from './JobTitle.tsx'

/** What a bulk edit does. */
export interface BulkMode<Mode extends string> {
  key: Mode
  label: string
  text: string
  /** on the last button, and the title of the job */
  run: string
}

interface BulkWizardProps<Mode extends string> {
  heading: string
  /** how many are selected, in words */
  selected: string
  count: number
  /** there are more than a job may have, in words */
  tooMany: string | null
  question: string
  /** `delete` asks for the number once more */
  modes: readonly BulkMode<Mode>[]
  mode: Mode
  onMode: (mode: Mode) => void
  /** above the question */
  notice?: ReactNode
  /** the fields of the mode */
  fields: ReactNode
  /** whether they can be used; the fields show what is missing */
  areFilled: () => boolean
  /** what the fields say, before the job starts */
  summary: ReactNode
  /** below the hint that every job has */
  hint?: string | null
  typeCount: string
  countWrong: string
  dirty: boolean
  /** @returns the job; null if the user went back */
  onStart: (title: string) => Promise<{ id: number } | null>
  onClose: () => void
}

/** Changes or deletes many things in two steps: what to do, and its job. */
export function BulkWizard<Mode extends string>(props: BulkWizardProps<Mode>) {
  const { count, tooMany, modes, mode, onClose } = props
  const { t } = useTranslation()
  const navigate = useNavigate()
  const [ownTitle, setTitle] = useState<string | null>(null)
  const [typed, setTyped] = useState('')
  const [asked, setAsked] = useState(false)
  const [finished, setFinished] = useState(false)
  const run = modes.find(({ key }) => key === mode)?.run ?? ''
  const title = ownTitle ?? proposedTitle(run)
  const deletes = mode === 'delete'
  const isCounted = !deletes || Number(typed) === count

  const start = async () => {
    setAsked(true)
    if (!titleFits(title) || !isCounted) return
    const job = await props.onStart(title)
    if (job === null) return
    setFinished(true)
    void navigate({ to: '/background-jobs', search: { job: String(job.id) }, ignoreBlocker: true })
  }

  return (
    <Stack gap="md">
      <div>
        <Title order={1}>{props.heading}</Title>
        <Text c="dimmed">{props.selected}</Text>
      </div>
      {tooMany === null ? null : <Alert color="red">{tooMany}</Alert>}
      <Wizard
        dirty={(props.dirty || ownTitle !== null) && !finished}
        dangerous={deletes}
        finishLabel={run}
        onFinish={start}
        onCancel={() => {
          setFinished(true)
          onClose()
        }}
        steps={[
          {
            key: 'changes',
            label: t('bulk.step.changes'),
            content: (
              <Stack gap="lg">
                <ModeCards {...props} />
                {props.fields}
              </Stack>
            ),
            validate: () => tooMany === null && props.areFilled(),
          },
          {
            key: 'apply',
            label: t('bulk.step.apply'),
            content: (
              <Stack gap="md" maw={640}>
                {props.summary}
                <JobTitle value={title} onChange={setTitle} asked={asked} />
                {deletes ? (
                  <TextInput
                    label={props.typeCount}
                    description={t('bulk.typeCountHint', { count })}
                    inputMode="numeric"
                    required
                    value={typed}
                    onChange={(event) => setTyped(event.currentTarget.value.trim())}
                    error={asked && !isCounted ? props.countWrong : undefined}
                  />
                ) : null}
                <Text size="sm">
                  {t('bulk.background')} {props.hint}
                </Text>
              </Stack>
            ),
          },
        ]}
      />
    </Stack>
  )
}

function ModeCards<Mode extends string>(
  props: Pick<BulkWizardProps<Mode>, 'modes' | 'mode' | 'onMode' | 'question' | 'notice'>,
) {
  const { modes, mode, onMode, question, notice } = props
  return (
    <Stack gap="md">
      {notice}
      <Radio.Group
        label={question}
        value={mode}
        onChange={(value) => {
          const chosen = modes.find(({ key }) => key === value)
          if (chosen) onMode(chosen.key)
        }}
      >
        <div className={bulkClasses.cards}>
          {modes.map(({ key, label, text }) => (
            <Radio.Card key={key} value={key} className={bulkClasses.card ?? ''}>
              <span className={bulkClasses.cardHead}>
                <Radio.Indicator size="xs" />
                {label}
              </span>
              <Text size="sm" c="dimmed" mt={4}>
                {text}
              </Text>
            </Radio.Card>
          ))}
        </div>
      </Radio.Group>
    </Stack>
  )
}
