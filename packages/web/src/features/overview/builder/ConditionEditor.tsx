import {
  operatorsOf,
  type StateAttribute,
  type StateOperator,
  stateAttributes,
} from '@leitstand/contract/overview'
import { Select } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import { RemoveButton } from '../../../ui/forms/RemoveButton.tsx'
import classes from './builder.module.css'
import { type ConditionDraft, withComparison } from './draft.ts'
import { ValueField } from './ValueField.tsx'

interface ConditionEditorProps {
  condition: ConditionDraft
  isWrong: boolean
  onChange: (condition: ConditionDraft) => void
  onRemove: () => void
}

/** One comparison: attribute, operator and value. */
export function ConditionEditor({ condition, isWrong, onChange, onRemove }: ConditionEditorProps) {
  const { t } = useTranslation()
  const { attribute } = condition
  const operators: readonly StateOperator[] = operatorsOf[stateAttributes[attribute]]
  return (
    <div className={classes.condition}>
      <Select
        aria-label={t('stateOverview.builder.attribute')}
        value={attribute}
        onChange={(chosen) =>
          chosen && onChange(withComparison(condition, { attribute: chosen as StateAttribute }))
        }
        data={Object.keys(stateAttributes).map((each) => ({
          value: each,
          label: t(`stateOverview.attribute.${each}`),
        }))}
        searchable
        allowDeselect={false}
        maxDropdownHeight={340}
      />
      <Select
        aria-label={t('stateOverview.builder.operator')}
        value={condition.operator}
        onChange={(chosen) =>
          chosen && onChange(withComparison(condition, { operator: chosen as StateOperator }))
        }
        data={operators.map((each) => ({
          value: each,
          label: t(
            stateAttributes[attribute] === 'time'
              ? `stateOverview.timeOperator.${each}`
              : `stateOverview.operator.${each}`,
          ),
        }))}
        allowDeselect={false}
      />
      <div className={classes.value}>
        <ValueField condition={condition} isWrong={isWrong} onChange={onChange} />
      </div>
      <RemoveButton label={t('stateOverview.builder.removeCondition')} onClick={onRemove} />
    </div>
  )
}
