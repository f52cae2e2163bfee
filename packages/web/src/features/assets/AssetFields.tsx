import { Autocomplete, TextInput } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { api } from '../../lib/api.ts'

/** As in the contract, without loading its schemas. */
const lengthMax = 80

interface Values {
  category: string
  inventoryNumber: string
}

/** What an asset is: its category, chosen among those in use or new, and its number. */
export function AssetFields({ values, set }: { values: Values; set: (change: Partial<Values>) => void }) {
  const { t } = useTranslation()
  const choices = useQuery(api.isAssetMgmt.categoriesZones.queryOptions({ input: {} }))
  return (
    <>
      <Autocomplete
        label={t('assets.field.category')}
        description={t('assets.categoryHint')}
        maxLength={lengthMax}
        data={choices.data?.categories.map(({ name }) => name) ?? []}
        value={values.category}
        onChange={(category) => set({ category })}
      />
      <TextInput
        label={t('assets.field.inventoryNumber')}
        maxLength={lengthMax}
        value={values.inventoryNumber}
        onChange={(event) => set({ inventoryNumber: event.currentTarget.value })}
      />
    </>
  )
}
