import { SegmentedControl, TextInput } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import type { RuleStates } from '../ruleStates.tsx'

interface Target {
  stateId: number | null
  stateKey?: string | undefined
}

/** The state that an action sets: a certain one or, on whichever twin the rule runs, the one with a key. */
export function TargetState({
  label,
  target,
  states,
  isOfTemplate,
  error,
  onChange,
}: {
  label: string
  target: Target
  states: RuleStates
  /** the states of a template are those of each of its devices */
  isOfTemplate: boolean
  error: string | null
  onChange: (target: Required<Target>) => void
}) {
  const { t } = useTranslation()
  const { stateId, stateKey } = target
  const isByKey = stateKey !== undefined
  return (
    <div>
      {isOfTemplate ? null : (
        <SegmentedControl
          size="xs"
          mb={4}
          aria-label={t('rules.targetBy.label')}
          data={(['state', 'key'] as const).map((by) => ({ value: by, label: t(`rules.targetBy.${by}`) }))}
          value={isByKey ? 'key' : 'state'}
          onChange={(by) => onChange({ stateId: null, stateKey: by === 'key' ? '' : undefined })}
        />
      )}
      {isByKey ? (
        <TextInput
          label={t('rules.related.key')}
          placeholder="mode"
          required
          maxLength={100}
          value={stateKey}
          onChange={(event) => onChange({ stateId: null, stateKey: event.currentTarget.value })}
          error={error}
          styles={{ input: { fontFamily: 'var(--mantine-font-family-monospace)' } }}
        />
      ) : (
        states.pick({
          label,
          value: stateId,
          onChange: (chosen) => onChange({ stateId: chosen, stateKey: undefined }),
          error,
        })
      )}
    </div>
  )
}
