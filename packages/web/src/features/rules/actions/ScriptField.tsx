import { Text } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import { CodeEditor } from '../../../ui/code/CodeEditor.tsx'

/** A function body with a variable for each input. */
export function ScriptField(props: {
  label: string
  hint: string
  value: string
  aliases: readonly string[]
  error: string | null
  onChange: (script: string) => void
}) {
  const { label, hint, value, aliases, error, onChange } = props
  const { t } = useTranslation()
  return (
    <div>
      <Text size="sm" fw={500}>
        {label}
      </Text>
      <Text size="xs" c="dimmed" mb={4}>
        {hint}
      </Text>
      <CodeEditor
        language="javascript"
        label={label}
        value={value}
        onChange={onChange}
        completions={[
          ...aliases.map((alias) => ({ label: alias, detail: t('rules.metric') })),
          { label: 'metrics', detail: t('rules.metrics') },
          { label: '_', detail: 'lodash' },
        ]}
        height="110px"
      />
      {error ? (
        <Text size="xs" c="var(--health-error)" role="alert" data-fault tabIndex={-1}>
          {error}
        </Text>
      ) : null}
    </div>
  )
}
