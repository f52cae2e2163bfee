import { type Action, actions, type Subject, subjects } from '@leitstand/contract/permissions'
import { IconCheck, IconX } from '@tabler/icons-react'
import { useTranslation } from 'react-i18next'
import { Icon } from '../../ui/display/Icon.tsx'
import { ScrollBox } from '../../ui/page/ScrollBox.tsx'
import classes from './matrix.module.css'
import '../../ui/list/cards.css'
import { type Cell, cellKey, decision, type Matrix, nextCell, toRules } from './matrix.ts'

interface RuleMatrixProps {
  value: Matrix
  onChange: (matrix: Matrix) => void
  disabled?: boolean
}

/**
 * All subjects and actions; a click cycles unset, granted, denied. Dashed cells are implied by other rules.
 */
export function RuleMatrix({ value, onChange, disabled = false }: RuleMatrixProps) {
  const { t } = useTranslation()
  const rules = toRules(value)
  const set = (subject: Subject, action: Action, cell: Cell) => {
    const key = cellKey(subject, action)
    const { [key]: _before, ...others } = value
    onChange(cell === 'unsaid' ? others : { ...others, [key]: cell })
  }
  return (
    <ScrollBox label={t('roles.matrix')}>
      <table className={`matrix ${classes.matrix}`}>
        <thead>
          <tr>
            <th scope="col">{t('roles.subject')}</th>
            {actions.map((action) => (
              <th key={action} scope="col">
                {t(`permissions.actions.${action}`)}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {subjects.map((subject) => {
            const name = t(`permissions.subjects.${subject.replace('.', '_')}`)
            return (
              <tr key={subject}>
                <th scope="row">{name}</th>
                {actions.map((action) => {
                  const cell = value[cellKey(subject, action)] ?? 'unsaid'
                  const implied = decision(rules, subject, action)
                  const word =
                    cell === 'unsaid' && implied !== 'unsaid'
                      ? t(`roles.implied.${implied}`)
                      : t(`roles.cell.${cell}`)
                  const label = `${name}, ${t(`permissions.actions.${action}`)}: ${word}`
                  return (
                    <td key={action}>
                      <button
                        type="button"
                        className={classes.cell}
                        data-cell={cell}
                        data-implied={cell === 'unsaid' ? implied : undefined}
                        aria-label={label}
                        title={label}
                        disabled={disabled}
                        onClick={() => set(subject, action, nextCell(cell))}
                      >
                        {implied === 'granted' ? <Icon of={IconCheck} size={16} /> : null}
                        {implied === 'denied' ? <Icon of={IconX} size={16} /> : null}
                      </button>
                    </td>
                  )
                })}
              </tr>
            )
          })}
        </tbody>
      </table>
    </ScrollBox>
  )
}
