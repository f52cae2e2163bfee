import {
  brandLimits,
  type DrawerLink,
  DrawerLink as DrawerLinkSchema,
  drawerIcons,
} from '@leitstand/contract/branding'
import { ActionIcon, Button, Select, Stack, Text, TextInput, Title } from '@mantine/core'
import { IconArrowDown, IconArrowUp, IconLink, IconPlus, IconTrash } from '@tabler/icons-react'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import * as z from 'zod'
import { api, client } from '../../../lib/api.ts'
import { check } from '../../../lib/validation.ts'
import { Icon } from '../../../ui/display/Icon.tsx'
import { EmptyState } from '../../../ui/feedback/EmptyState.tsx'
import { ErrorState } from '../../../ui/feedback/ErrorState.tsx'
import { Loading } from '../../../ui/feedback/Loading.tsx'
import { notifySuccess } from '../../../ui/feedback/notify.ts'
import { FormLayout } from '../../../ui/forms/FormLayout.tsx'
import { useCheckedForm } from '../../../ui/forms/useCheckedForm.ts'
import { useRowIds } from '../../../ui/forms/useRowIds.ts'
import { useSyncedForm } from '../../../ui/forms/useSyncedForm.ts'
import classes from './branding.module.css'
import { refreshBrand } from './refreshBrand.ts'

interface Values extends Record<string, unknown> {
  links: DrawerLink[]
}

const newLink: DrawerLink = { title: { de: '', en: '' }, icon: 'link', url: '' }
const checkLinks = check(z.object({ links: z.array(DrawerLinkSchema) }))
const valuesOf = ({ links }: Values): Values => ({ links })

/** Links in everybody's menu, in their order. */
export default function DrawerLinksPage() {
  const { t } = useTranslation()
  const found = useQuery(api.drawerLink.list.queryOptions({ input: {} }))
  return (
    <>
      <Title order={1} mb={4}>
        {t('screens.drawerLinks.title')}
      </Title>
      <Text c="dimmed" size="sm" maw={720} mb="md">
        {t('drawerLinks.hint')}
      </Text>
      {found.isError && !found.data ? (
        <ErrorState error={found.error} onRetry={() => void found.refetch()} />
      ) : null}
      {found.isPending ? <Loading lines={5} /> : null}
      {found.data ? <LinksForm stored={found.data} /> : null}
    </>
  )
}

function LinksForm({ stored }: { stored: { links: DrawerLink[]; version: number } }) {
  const { t } = useTranslation()
  const cache = useQueryClient()
  const form = useCheckedForm<Values>({ initialValues: { links: stored.links }, validate: checkLinks })
  const { version, accept } = useSyncedForm<Values, Values & { version: number }>(
    form,
    { links: stored.links, version: stored.version },
    valuesOf,
  )
  const { links } = form.values
  const ids = useRowIds(links.length)
  const setLinks = (next: DrawerLink[]) => form.setFieldValue('links', next)
  const save = async (values: Values) => {
    const saved = await client.drawerLink.set({ links: values.links, version })
    accept({ links: saved.links, version: saved.version })
    notifySuccess(t('drawerLinks.savedNote'))
    await cache.invalidateQueries({ queryKey: api.drawerLink.key() })
    await refreshBrand()
  }
  const swap = (at: number, other: number) =>
    setLinks(links.map((link, index) => links[index === at ? other : index === other ? at : index] ?? link))
  const add = (
    <Button
      variant="default"
      leftSection={<Icon of={IconPlus} />}
      disabled={links.length >= brandLimits.drawerLinksMax}
      onClick={() => setLinks([...links, newLink])}
    >
      {t('drawerLinks.add')}
    </Button>
  )
  return (
    <FormLayout form={form} onSave={save}>
      {links.length === 0 ? (
        <EmptyState
          icon={IconLink}
          title={t('drawerLinks.none')}
          text={t('drawerLinks.noneText')}
          order={2}
          compact
          action={add}
        />
      ) : (
        <Stack gap="md" align="stretch">
          <div className={classes.links}>
            {links.map((link, index) => {
              const title = link.title.de || t('drawerLinks.number', { number: index + 1 })
              return (
                <fieldset key={ids.at(index)} className={classes.link} aria-label={title}>
                  <TextInput
                    label={t('drawerLinks.field.de')}
                    required
                    {...form.getInputProps(`links.${index}.title.de`)}
                  />
                  <TextInput
                    label={t('drawerLinks.field.en')}
                    required
                    {...form.getInputProps(`links.${index}.title.en`)}
                  />
                  <TextInput
                    label={t('drawerLinks.field.url')}
                    type="url"
                    placeholder="https://"
                    required
                    {...form.getInputProps(`links.${index}.url`)}
                  />
                  <Select
                    label={t('drawerLinks.field.icon')}
                    data={drawerIcons.map((value) => ({ value, label: t(`drawerLinks.icon.${value}`) }))}
                    allowDeselect={false}
                    {...form.getInputProps(`links.${index}.icon`)}
                  />
                  <div className={classes.rowActions}>
                    <ActionIcon
                      aria-label={t('drawerLinks.up', { title })}
                      disabled={index === 0}
                      onClick={() => swap(index, index - 1)}
                    >
                      <Icon of={IconArrowUp} />
                    </ActionIcon>
                    <ActionIcon
                      aria-label={t('drawerLinks.down', { title })}
                      disabled={index === links.length - 1}
                      onClick={() => swap(index, index + 1)}
                    >
                      <Icon of={IconArrowDown} />
                    </ActionIcon>
                    <ActionIcon
                      aria-label={t('drawerLinks.remove', { title })}
                      onClick={() => {
                        ids.remove(index)
                        setLinks(links.filter((_, at) => at !== index))
                      }}
                    >
                      <Icon of={IconTrash} />
                    </ActionIcon>
                  </div>
                </fieldset>
              )
            })}
          </div>
          <div>{add}</div>
        </Stack>
      )}
    </FormLayout>
  )
}
