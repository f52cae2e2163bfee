import { type Brand, BrandSettings } from '@leitstand/contract/branding'
import { useQueryClient } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { api, client } from '../../../lib/api.ts'
import { check } from '../../../lib/validation.ts'
import { notifySuccess } from '../../../ui/feedback/notify.ts'
import { useCheckedForm } from '../../../ui/forms/useCheckedForm.ts'
import { useSyncedForm } from '../../../ui/forms/useSyncedForm.ts'
import { refreshBrand } from './refreshBrand.ts'

const checkBrand = check(BrandSettings)
const settingsOf = ({ settings }: Brand): BrandSettings => settings

/** The form of a brand; `changed` shows what was stored, here and on the page itself. */
export function useBrandForm(accountId: number, brand: Brand) {
  const { t } = useTranslation()
  const cache = useQueryClient()
  const form = useCheckedForm<BrandSettings>({ initialValues: brand.settings, validate: checkBrand })
  const { version, accept } = useSyncedForm(form, brand, settingsOf)
  const whose = { id: accountId, domain: brand.domain }
  const changed = async () => {
    await cache.invalidateQueries({ queryKey: api.brand.key() })
    await refreshBrand()
  }
  const save = async (settings: BrandSettings) => {
    accept(await client.brand.save({ ...whose, version, settings }))
    notifySuccess(t('branding.savedNote'))
    await changed()
  }
  return { form, save, changed, whose }
}
