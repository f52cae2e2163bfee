import { acrossOperations, relatives, seriesOperations } from '@leitstand/contract/rules'
import { NumberInput, Select, SimpleGrid, TextInput } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import type { OwnFields, OwnFieldsProps } from '../types.ts'

export default function RelatedFields({ value, onChange, faultAt }: OwnFieldsProps) {
  const { t } = useTranslation()
  const set = (change: Partial<OwnFields>) => onChange({ ...value, ...change })
  return (
    <>
      <SimpleGrid cols={{ base: 1, xs: value.of === 'children' ? 3 : 2 }} spacing="sm">
        <TextInput
          label={t('rules.related.key')}
          placeholder="temperature"
          required
          maxLength={100}
          value={value.stateKey}
          onChange={(event) => set({ stateKey: event.currentTarget.value })}
          error={faultAt('stateKey')}
          styles={{ input: { fontFamily: 'var(--mantine-font-family-monospace)' } }}
        />
        <Select
          label={t('rules.related.of')}
          allowDeselect={false}
          data={relatives.map((each) => ({ value: each, label: t(`rules.related.ofs.${each}`) }))}
          value={value.of}
          onChange={(of) => set({ of: (of ?? value.of) as OwnFields['of'] })}
        />
        {value.of === 'children' ? (
          <Select
            label={t('rules.related.across')}
            allowDeselect={false}
            data={acrossOperations.map((each) => ({
              value: each,
              label: t(`rules.related.acrosses.${each}`),
            }))}
            value={value.across}
            onChange={(across) => set({ across: (across ?? value.across) as OwnFields['across'] })}
          />
        ) : null}
      </SimpleGrid>
      <SimpleGrid cols={{ base: 1, xs: 3 }} spacing="sm">
        <Select
          label={t('rules.related.over')}
          allowDeselect={false}
          data={seriesOperations.map((each) => ({ value: each, label: t(`rules.operations.${each}`) }))}
          value={value.over}
          onChange={(chosen) => {
            const over = (chosen ?? value.over) as OwnFields['over']
            const isMissing = over !== 'latest' && value.window === 'none'
            set({ over, window: isMissing ? 'minutes' : value.window })
          }}
        />
        <Select
          label={t('rules.window')}
          allowDeselect={false}
          data={(['none', 'values', 'minutes'] as const).map((window) => ({
            value: window,
            label: t(`rules.windows.${window}`),
            disabled: window === 'none' && value.over !== 'latest',
          }))}
          value={value.window}
          onChange={(window) => set({ window: (window ?? 'none') as OwnFields['window'] })}
          error={faultAt('window')}
        />
        {value.window === 'none' ? null : (
          <NumberInput
            label={t(`rules.amount.${value.window}`)}
            min={1}
            max={value.window === 'values' ? 10_000 : 527_040}
            allowDecimal={false}
            value={value.amount}
            onChange={(amount) => set({ amount: amount === '' ? 1 : Number(amount) })}
          />
        )}
      </SimpleGrid>
    </>
  )
}
