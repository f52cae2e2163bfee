import { ColorSwatch, Group, Input, SegmentedControl, Select, Switch } from '@mantine/core'
import { useId } from '@mantine/hooks'
import { useTranslation } from 'react-i18next'
import { isLanguage, languages } from '../../lib/i18n.ts'
import type { UserDefaults } from '../../lib/session.ts'
import { ColourInput } from '../../ui/forms/ColourInput.tsx'
import { layoutOf } from '../../ui/map/layouts.ts'
import { useMapLayouts } from '../../ui/map/useMapLayouts.ts'
import { accentOf, accents, isAccentName, ownAccent } from '../../ui/theme/accent.ts'
import classes from './profile.module.css'

const pageSizes = ['10', '20', '50', '100']
const schemes = ['light', 'dark', 'auto'] as const
const hexPattern = /^#([\da-f]{3}|[\da-f]{6})$/i
const firstOwnColour = '#0b7285'

interface DefaultsFieldsProps {
  value: UserDefaults
  /** the change; undefined removes a default */
  onChange: (change: UserDefaults) => void
  disabled?: boolean
}

/**
 * Language, light or dark, accent, maps, menu, rows per page: the user's own, or another user's initial ones.
 */
export function DefaultsFields({ value, onChange, disabled = false }: DefaultsFieldsProps) {
  const { t } = useTranslation()
  const schemeId = useId()
  const layouts = useMapLayouts()
  const scheme = value.uiTheme === undefined ? 'auto' : value.uiTheme ? 'dark' : 'light'
  return (
    <div className={classes.defaults}>
      <Select
        label={t('profile.language')}
        placeholder={t('profile.languageHint')}
        data={languages.map((language) => ({ value: language, label: t(`common.languages.${language}`) }))}
        value={value.language ?? null}
        clearable
        disabled={disabled}
        onChange={(language) => onChange({ language: isLanguage(language) ? language : undefined })}
      />
      <Select
        label={t('profile.pagination')}
        data={pageSizes}
        value={String(value.pagination ?? 20)}
        allowDeselect={false}
        disabled={disabled}
        onChange={(size) => onChange({ pagination: Number(size) })}
      />
      <Input.Wrapper
        label={t('profile.scheme')}
        labelElement="div"
        labelProps={{ id: schemeId, display: 'block' }}
        className={classes.scheme ?? ''}
      >
        <SegmentedControl
          aria-labelledby={schemeId}
          value={scheme}
          disabled={disabled}
          onChange={(wanted) => onChange({ uiTheme: wanted === 'auto' ? undefined : wanted === 'dark' })}
          data={schemes.map((each) => ({ value: each, label: t(`profile.schemes.${each}`) }))}
        />
      </Input.Wrapper>
      <Colour value={value} onChange={onChange} disabled={disabled} />
      <Select
        label={t('profile.mapLayout')}
        data={layouts.map(({ id, title }) => ({ value: id, label: title }))}
        value={layoutOf(layouts, value.mapLayout).id}
        allowDeselect={false}
        disabled={disabled}
        onChange={(id) => onChange({ mapLayout: id ?? undefined })}
      />
      <Switch
        label={t('map.buildings')}
        description={t('profile.map3DBuildHint')}
        checked={value.map3DBuild ?? false}
        disabled={disabled}
        onChange={(event) => onChange({ map3DBuild: event.currentTarget.checked })}
      />
      <Switch
        label={t('profile.drawer')}
        description={t('profile.drawerHint')}
        checked={value.drawer ?? true}
        disabled={disabled}
        onChange={(event) => onChange({ drawer: event.currentTarget.checked })}
      />
      <Switch
        label={t('profile.mini')}
        description={t('profile.miniHint')}
        checked={value.miniVariant ?? false}
        disabled={disabled || value.drawer === false}
        onChange={(event) => onChange({ miniVariant: event.currentTarget.checked })}
      />
    </div>
  )
}

/** A preset accent or any colour, darkened or lightened until text in it is readable. */
function Colour({ value, onChange, disabled }: Required<DefaultsFieldsProps>) {
  const { t } = useTranslation()
  const own = value.color === ownAccent
  const chosen = own ? ownAccent : isAccentName(value.color) ? value.color : 'platform'
  const shown = accentOf(value)
  return (
    <div className={classes.colour}>
      <Select
        label={t('profile.color')}
        data={['platform', ...Object.keys(accents), ownAccent].map((name) => ({
          value: name,
          label: t(`profile.colors.${name}`),
        }))}
        value={chosen}
        allowDeselect={false}
        disabled={disabled}
        leftSection={<ColorSwatch size={16} color={shown ?? 'var(--accent)'} withShadow={false} />}
        renderOption={({ option }) => (
          <Group gap={8}>
            {isAccentName(option.value) ? (
              <ColorSwatch size={14} color={accents[option.value]} withShadow={false} />
            ) : null}
            {option.label}
          </Group>
        )}
        onChange={(name) =>
          onChange(
            name === ownAccent
              ? { color: ownAccent, customColor: value.customColor ?? firstOwnColour }
              : { color: name === null || name === 'platform' ? undefined : name },
          )
        }
      />
      {own ? (
        <OwnColour
          key={value.customColor}
          value={value.customColor ?? firstOwnColour}
          disabled={disabled}
          onChange={(customColor) => onChange({ customColor })}
        />
      ) : null}
    </div>
  )
}

/** Reports a valid colour once the user has finished choosing. */
function OwnColour(props: { value: string; disabled: boolean; onChange: (hex: string) => void }) {
  const { t } = useTranslation()
  const take = (text: string) => {
    if (hexPattern.test(text) && text !== props.value) props.onChange(text)
  }
  return (
    <ColourInput
      label={t('profile.customColor')}
      defaultValue={props.value}
      disabled={props.disabled}
      onChangeEnd={take}
      onBlur={(event) => take(event.currentTarget.value)}
    />
  )
}
