import { Group, Loader, Text } from '@mantine/core'
import { useMemo } from 'react'
import { useTranslation } from 'react-i18next'
import { CodeEditor, type CodeMarker } from '../../../ui/code/CodeEditor.tsx'
import { StatusBadge } from '../../../ui/display/Badges.tsx'
import type { ParseReply } from '../queries.ts'
import type { EditorProps } from './kinds/types.ts'

interface ScriptEditorProps extends EditorProps {
  language: 'javascript' | 'text'
  /** names offered while typing */
  completions?: readonly { label: string; detail?: string }[]
  /** The signature of the script, by the server's name for it. */
  signatureOf(family: string | null): string
}

/** A parser's source with its errors marked at their lines. */
export function ScriptEditor(props: ScriptEditorProps) {
  const { t } = useTranslation()
  const { form, readOnly, trial, result, language, completions, signatureOf } = props
  const problem = trial.data?.check.problem ?? result?.error ?? null
  const markers = useMemo<CodeMarker[]>(
    () =>
      problem?.line === undefined
        ? []
        : [{ line: problem.line, column: problem.column ?? null, message: problem.message }],
    [problem],
  )
  return (
    <div>
      <Group justify="space-between" mb={8} gap={8} mih={26}>
        <Recognised check={trial.data?.check} signatureOf={signatureOf} />
        {trial.waiting ? <Loader size={16} role="status" aria-label={t('drivers.tester.running')} /> : null}
      </Group>
      <CodeEditor
        language={language}
        label={t('drivers.parser.script')}
        value={form.getValues().script}
        onChange={(text) => form.setFieldValue('script', text)}
        markers={markers}
        {...(completions ? { completions } : {})}
        readOnly={readOnly}
        height="max(380px, calc(100dvh - 560px))"
      />
      <Text size="xs" c="dimmed" mt={6}>
        {t('drivers.parser.hint')}
      </Text>
    </div>
  )
}

/** The detected signature, and whether the script keeps state between packets. */
function Recognised({
  check,
  signatureOf,
}: Pick<ScriptEditorProps, 'signatureOf'> & { check: ParseReply['check'] | undefined }) {
  const { t } = useTranslation()
  if (!check) return <span />
  if (!check.ok)
    return (
      <StatusBadge
        tone="error"
        label={
          check.problem
            ? t(`errors.${check.problem.code}`, { defaultValue: check.problem.message })
            : t('drivers.parser.broken')
        }
      />
    )
  return (
    <Group gap={6}>
      <StatusBadge
        tone="ok"
        label={t('drivers.parser.recognised', {
          family: signatureOf(check.family),
        })}
      />
      {check.stateful ? <StatusBadge tone="warning" label={t('drivers.parser.stateful')} /> : null}
    </Group>
  )
}
