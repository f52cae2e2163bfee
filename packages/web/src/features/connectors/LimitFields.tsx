import { limits } from '@leitstand/contract/common'
import { NumberInput } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import { Section } from '../../ui/page/Section.tsx'
import classes from './connectors.module.css'
import type { FormProps } from './kinds/types.ts'

/** Limits of a connector; most have none of their own. */
export function LimitFields({ form }: FormProps) {
  const { t } = useTranslation()
  return (
    <Section title={t('connectors.section.limits')} description={t('connectors.limitsHint')}>
      <div className={classes.fields}>
        <NumberInput
          className={classes.wide ?? ''}
          label={t('connectors.field.messagesPerSecond')}
          description={t('connectors.messagesPerSecondHint')}
          placeholder={t('connectors.noOwnLimit')}
          min={1}
          max={limits.messagesPerSecondMax}
          allowDecimal={false}
          allowNegative={false}
          {...form.getInputProps('settings.messagesPerSecond')}
        />
      </div>
    </Section>
  )
}
