import { Switch, Title } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { client } from '../../lib/api.ts'
import { useUrlSearch } from '../../lib/url.ts'
import { useAccounts } from '../../ui/accounts/AccountFilter.tsx'
import { AccountSelect } from '../../ui/accounts/AccountSelect.tsx'
import { notifySuccess } from '../../ui/feedback/notify.ts'
import { FormLayout } from '../../ui/forms/FormLayout.tsx'
import { useCheckedForm } from '../../ui/forms/useCheckedForm.ts'
import { DetailTabs } from '../../ui/page/DetailPage.tsx'
import { Section } from '../../ui/page/Section.tsx'
import { draftStore } from './draft.ts'
import classes from './drivers.module.css'
import { driverTabs } from './driverTabs.tsx'
import { invalidateDrivers } from './queries.ts'
import { useSaveQuestions } from './save/useSaveQuestions.tsx'
import { alikeNames, checkDriver, type DriverValues, toInput } from './values.ts'

/** A new driver, from the template, a copy or pasted JSON. */
export function CreateDriver({ initial, copyOf }: { initial: DriverValues; copyOf?: string }) {
  const { t } = useTranslation()
  const navigate = useNavigate()
  const cache = useQueryClient()
  const [, update] = useUrlSearch()
  const accounts = useAccounts()
  const items = accounts.data?.items ?? []
  const [chosen, setChosen] = useState<string | null>(null)
  const accountId = chosen ?? (items.length === 1 && items[0] ? String(items[0].id) : null)
  const [publish, setPublish] = useState(true)
  const [accountMissing, setAccountMissing] = useState(false)
  const form = useCheckedForm<DriverValues>({
    initialValues: copyOf ? { ...initial, title: t('drivers.copyTitle', { title: copyOf }) } : initial,
    validate: checkDriver,
  })
  const questions = useSaveQuestions()
  const save = async (values: DriverValues) => {
    if (accountId === null) {
      setAccountMissing(true)
      update({ tab: undefined })
      return false
    }
    const alike = alikeNames(values)
    if (alike.length > 0 && !(await questions.askAlike(alike))) return false
    const created = await questions.storing(
      () =>
        client.devicedrivers.create({
          ...toInput(values, {}),
          accountId: Number(accountId),
          publish,
          acceptAlike: alike.length > 0,
        }),
      { mayAccept: false },
    )
    if (!created) return false
    form.resetDirty()
    draftStore.set(null)
    notifySuccess(t('drivers.createdNote', { title: created.title }))
    await invalidateDrivers(cache)
    void navigate({ to: `/virtual-device-drivers/${created.id}`, search: { tab: 'parser' } })
    return true
  }
  const tabs = driverTabs({ form, t, readOnly: false })
  const [metadata, ...others] = tabs
  return (
    <>
      <Title order={1} mb="md">
        {t('drivers.create')}
      </Title>
      <FormLayout
        form={form}
        onSave={save}
        mode="always"
        acrossTabs
        saveLabel={t('drivers.create')}
        onCancel={() => void navigate({ to: '/virtual-device-drivers' })}
      >
        <DetailTabs
          tabs={[
            {
              key: 'metadata',
              label: metadata?.label ?? '',
              content: (
                <div className={classes.stack}>
                  <Section title={t('drivers.section.owner')}>
                    <div className={classes.fields}>
                      <AccountSelect
                        label={t('drivers.field.account')}
                        required
                        value={accountId}
                        onChange={(id) => {
                          setChosen(id)
                          setAccountMissing(false)
                        }}
                        error={accountMissing ? t('validation.required') : null}
                      />
                      <Switch
                        mt={28}
                        label={t('drivers.publishNow')}
                        description={t('drivers.publishHint')}
                        checked={publish}
                        onChange={(event) => setPublish(event.currentTarget.checked)}
                      />
                    </div>
                  </Section>
                  {metadata?.content}
                </div>
              ),
            },
            ...others,
          ]}
        />
      </FormLayout>
      {questions.dialogs}
    </>
  )
}
