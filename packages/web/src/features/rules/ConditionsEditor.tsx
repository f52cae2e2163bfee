import type { Condition, RuleConditions, ScriptCondition } from '@leitstand/contract/rules'
import { Button, Group, SegmentedControl, Stack, Text } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { api } from '../../lib/api.ts'
import { describeError } from '../../lib/errors.ts'
import { CodeEditor } from '../../ui/code/CodeEditor.tsx'
import { ErrorText } from '../../ui/feedback/ErrorText.tsx'
import { ConditionBuilder } from './ConditionBuilder.tsx'
import { isScript } from './conditions/script.ts'
import { newComparison } from './draft.ts'
import classes from './rules.module.css'
import { conditionsSentence, wordsOf } from './words.ts'

interface ConditionsEditorProps {
  value: RuleConditions
  onChange: (conditions: RuleConditions) => void
  aliases: readonly string[]
}

/** The conditions of a rule: a tree, or own JavaScript. Each is converted into the other where that is possible. */
export function ConditionsEditor({ value, onChange, aliases }: ConditionsEditorProps) {
  const { t } = useTranslation()
  const convert = useMutation({
    ...api.ddr.convertConditions.mutationOptions(),
    onSuccess: ({ conditions }) => onChange(conditions),
  })
  const change = (conditions: RuleConditions) => {
    convert.reset()
    onChange(conditions)
  }
  const alias = aliases[0] ?? 'a'
  const fresh: Condition = { op: 'and', conditions: [newComparison(alias)] }
  const switchForm = () => {
    if (isScript(value) && value.script.trim() === '') change(fresh)
    else convert.mutate({ conditions: value })
  }
  const startAnew = () => change(isScript(value) ? fresh : { op: 'script', script: `return ${alias} > 0` })
  const words = wordsOf(
    t,
    aliases.map((each) => ({ alias: each })),
  )
  return (
    <Stack gap="sm">
      <SegmentedControl
        style={{ alignSelf: 'start' }}
        aria-label={t('rules.conditionForm')}
        data={(['tree', 'script'] as const).map((form) => ({
          value: form,
          label: t(`rules.conditionForms.${form}`),
        }))}
        value={isScript(value) ? 'script' : 'tree'}
        disabled={convert.isPending}
        onChange={switchForm}
      />
      {convert.isError ? (
        <Group gap="sm">
          <ConvertFault error={convert.error} />
          <Button size="compact-sm" variant="default" onClick={startAnew}>
            {t(isScript(value) ? 'rules.newTree' : 'rules.newScript')}
          </Button>
        </Group>
      ) : null}
      {isScript(value) ? (
        <ScriptField value={value} onChange={change} aliases={aliases} />
      ) : (
        <>
          <ConditionBuilder value={value} onChange={change} aliases={aliases} words={words} />
          <p className={classes.sentence} aria-live="polite">
            {t('rules.ifSentence', { condition: conditionsSentence(value, words) })}
          </p>
        </>
      )}
    </Stack>
  )
}

const reasons = ['looksBack', 'tooLong', 'syntax', 'otherForm']

/** Why conditions have no other form, and where in the script. */
function ConvertFault({ error }: { error: unknown }) {
  const { t } = useTranslation()
  const { reason, line } = describeError(error).details
  if (typeof reason !== 'string' || !reasons.includes(reason)) return <ErrorText error={error} />
  return (
    <Text size="sm" c="var(--health-error)" role="alert">
      {t(`rules.convertFaults.${reason}`, { line: typeof line === 'number' ? line : 1 })}
    </Text>
  )
}

function ScriptField(props: {
  value: ScriptCondition
  onChange: (conditions: RuleConditions) => void
  aliases: readonly string[]
}) {
  const { value, onChange, aliases } = props
  const { t } = useTranslation()
  return (
    <div>
      <CodeEditor
        language="javascript"
        label={t('rules.conditionScript')}
        value={value.script}
        onChange={(script) => onChange({ op: 'script', script })}
        completions={[
          ...aliases.map((label) => ({ label, detail: t('rules.metric') })),
          { label: 'metrics', detail: t('rules.metrics') },
          { label: '_', detail: 'lodash' },
        ]}
        height="220px"
      />
      <Text size="sm" c="dimmed" mt={6}>
        {t('rules.scriptHint', { variable: 'metrics' })}
      </Text>
    </div>
  )
}
