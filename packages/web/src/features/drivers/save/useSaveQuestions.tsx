import type { Fault } from '@leitstand/contract/errors'
import { Button, Group, Modal, Stack, Text } from '@mantine/core'
import { type ReactNode, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { describeError } from '../../../lib/errors.ts'
import { faultDetail, faultTitle } from '../../../lib/faults.ts'
import { ConfirmDialog } from '../../../ui/feedback/ConfirmDanger.tsx'
import { SimpleTable } from '../../../ui/list/SimpleTable.tsx'
import classes from '../drivers.module.css'

/** A golden packet that no longer decodes to its expected values, as the server reports it. */
interface Mismatch {
  index: number
  title: string
  error: Fault | null
  differences: { key: string; expected: unknown; actual: unknown }[]
}

type Question =
  | { kind: 'alike'; names: readonly string[]; answer: (save: boolean) => void }
  | { kind: 'golden'; mismatches: Mismatch[]; mayAccept: boolean; answer: (accept: boolean) => void }

/**
 * Questions when saving a driver: names that differ by case only, and how to handle failing golden packets.
 * Each returns a promise; closing the dialog means no.
 */
export function useSaveQuestions() {
  const { t } = useTranslation()
  const [question, setQuestion] = useState<Question | null>(null)
  /** Whether to save although names differ only by case. */
  const askAlike = (names: readonly string[]) =>
    new Promise<boolean>((resolve) =>
      setQuestion({
        kind: 'alike',
        names,
        answer: (save) => {
          setQuestion(null)
          resolve(save)
        },
      }),
    )
  const askGolden = (mismatches: Mismatch[], mayAccept: boolean) =>
    new Promise<boolean>((resolve) =>
      setQuestion({
        kind: 'golden',
        mismatches,
        mayAccept,
        answer: (accept) => {
          setQuestion(null)
          resolve(accept)
        },
      }),
    )
  /** Saves; if golden packets fail, asks and saves again on request. Undefined: not saved. */
  const storing = async <T,>(
    store: (acceptGolden: boolean) => Promise<T>,
    { mayAccept = true } = {},
  ): Promise<T | undefined> => {
    try {
      return await store(false)
    } catch (error) {
      const { code, details } = describeError(error)
      if (code !== 'DEVICEDRIVER_GOLDEN_MISMATCH') throw error
      const mismatches = Array.isArray(details.mismatches) ? (details.mismatches as Mismatch[]) : []
      return (await askGolden(mismatches, mayAccept)) ? store(true) : undefined
    }
  }
  const dialogs: ReactNode = (
    <>
      {question?.kind === 'alike' ? (
        <ConfirmDialog
          opened
          title={t('drivers.alike.title')}
          text={t('drivers.variables.alike', { names: question.names.join(', ') })}
          cancelLabel={t('drivers.mismatch.back')}
          confirmLabel={t('drivers.alike.save')}
          onCancel={() => question.answer(false)}
          onConfirm={() => question.answer(true)}
        />
      ) : null}
      {question?.kind === 'golden' ? (
        <GoldenDialog
          mismatches={question.mismatches}
          mayAccept={question.mayAccept}
          onAnswer={question.answer}
        />
      ) : null}
    </>
  )
  return { askAlike, storing, dialogs }
}

function GoldenDialog(props: {
  mismatches: Mismatch[]
  mayAccept: boolean
  onAnswer: (accept: boolean) => void
}) {
  const { t } = useTranslation()
  const { mismatches, mayAccept, onAnswer } = props
  return (
    <Modal opened onClose={() => onAnswer(false)} title={t('drivers.mismatch.title')} size="lg" centered>
      <Stack gap="md">
        <Text size="sm">{t(mayAccept ? 'drivers.mismatch.text' : 'drivers.mismatch.textNew')}</Text>
        {mismatches.map((mismatch) => (
          <section key={mismatch.index}>
            <Text size="sm" fw={600} mb={4}>
              {mismatch.title || t('drivers.golden.packet', { number: mismatch.index + 1 })}
            </Text>
            {mismatch.error ? (
              <Text size="sm" c="var(--health-error)">
                {faultTitle(t, mismatch.error)} {faultDetail(t, mismatch.error)}
              </Text>
            ) : (
              <DifferenceTable title={mismatch.title} differences={mismatch.differences} />
            )}
          </section>
        ))}
        <Group justify="flex-end" gap={8}>
          <Button variant={mayAccept ? 'default' : 'filled'} onClick={() => onAnswer(false)}>
            {t('drivers.mismatch.back')}
          </Button>
          {mayAccept ? <Button onClick={() => onAnswer(true)}>{t('drivers.mismatch.accept')}</Button> : null}
        </Group>
      </Stack>
    </Modal>
  )
}

/** Expected and new values of the variables that differ. */
export function DifferenceTable(props: {
  /** of the packet; absent: it is the only one */
  title?: string
  differences: readonly { key: string; expected: unknown; actual: unknown }[]
}) {
  const { t } = useTranslation()
  const text = (value: unknown) => (value === undefined || value === null ? '–' : JSON.stringify(value))
  return (
    <SimpleTable
      label={[props.title, t('drivers.tester.verdict.differs')].filter(Boolean).join(': ')}
      rows={props.differences}
      rowKey={({ key }) => key}
      spacing={3}
      columns={[
        { key: 'key', title: t('drivers.variables.key'), className: classes.mono, render: ({ key }) => key },
        {
          key: 'expected',
          title: t('drivers.golden.expected'),
          className: classes.removed,
          render: ({ expected }) => text(expected),
        },
        {
          key: 'actual',
          title: t('drivers.golden.actual'),
          className: classes.added,
          render: ({ actual }) => text(actual),
        },
      ]}
    />
  )
}
