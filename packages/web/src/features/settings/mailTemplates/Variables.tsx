import type { MailVariable } from '@leitstand/contract/mailTemplates'
import { Button, Text } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import { currentLanguage } from '../../../lib/i18n.ts'
import { Section } from '../../../ui/page/Section.tsx'
import classes from './mailTemplates.module.css'

interface VariablesProps {
  variables: readonly MailVariable[]
  /** absent: the words cannot be changed */
  onInsert: ((text: string) => void) | undefined
}

/** What an email may show; a click puts it into the field that was used last. */
export function Variables({ variables, onInsert }: VariablesProps) {
  const { t } = useTranslation()
  const language = currentLanguage()
  return (
    <Section title={t('mailTemplates.variables')} description={t('mailTemplates.variablesHint')}>
      <ul className={classes.variables}>
        {variables.map(({ name, type, label, example, isRequired }) => {
          const tag = type === 'flag' ? `{{#${name}}}…{{/${name}}}` : `{{${name}}}`
          return (
            <li key={name}>
              <Button
                variant="default"
                size="compact-sm"
                classNames={{ label: classes.tag ?? '' }}
                disabled={onInsert === undefined}
                aria-label={t('mailTemplates.insert', { name: tag })}
                onClick={() => onInsert?.(tag)}
              >
                {tag}
              </Button>
              <div>
                <Text size="sm">
                  {label[language]}
                  {isRequired ? ` (${t('mailTemplates.required')})` : ''}
                </Text>
                {example === '' ? null : (
                  <Text size="xs" c="dimmed" className={classes.plain}>
                    {example}
                  </Text>
                )}
              </div>
            </li>
          )
        })}
      </ul>
    </Section>
  )
}
