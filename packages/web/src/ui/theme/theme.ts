import {
  type CSSVariablesResolver,
  createTheme,
  defaultVariantColorsResolver,
  type MantineColorsTuple,
  type MantineThemeOverride,
} from '@mantine/core'
import { optionsFilter } from '../forms/optionsFilter.ts'
import type { Accent } from './accent.ts'

/** Accent of the platform: `#0b7285` on light, `#3bc9db` on dark surfaces. */
const accent: MantineColorsTuple = [
  '#e6f7f9',
  '#d3f0f4',
  '#a3e0e8',
  '#70d2de',
  '#3bc9db',
  '#22b0c3',
  '#1594a8',
  '#0c8599',
  '#096577',
  '#0b7285',
]

/** The only neutral scale of light mode. 6 is the dimmed text: 5.3:1 on white. */
const gray: MantineColorsTuple = [
  '#f7f8f9',
  '#f0f2f4',
  '#e6e9ec',
  '#d9dee2',
  '#c2c9cf',
  '#8d979f',
  '#5f6a73',
  '#48525a',
  '#2d353b',
  '#1a2025',
]

/** The scale of dark mode: 0 text, 2 dimmed text, 4 borders, 6 raised surfaces, 7 page. */
const dark: MantineColorsTuple = [
  '#e1e6ea',
  '#c0c8ce',
  '#98a3ac',
  '#74808a',
  '#313940',
  '#262d33',
  '#191e22',
  '#101315',
  '#0b0e10',
  '#06080a',
]

/** The header of a dialog is not a banner of the page; two dialogs would even create two. */
const dialogHeader = { header: { role: 'presentation' } }

// Help for a group of choices is above them: below, it would come too late.
const questionFirst = ['label', 'description', 'input', 'error']

const base = createTheme({
  primaryColor: 'accent',
  primaryShade: { light: 9, dark: 4 },
  // Text on filled surfaces: white on light mode's dark shades, near-black on dark mode's bright ones. A CSS
  // variable, because Mantine's own contrast is computed once for both modes.
  variantColorResolver: (input) => {
    const resolved = defaultVariantColorsResolver(input)
    return input.variant === 'filled' ? { ...resolved, color: 'var(--on-accent)' } : resolved
  },
  colors: { accent, gray, dark },
  white: '#ffffff',
  black: '#1a2025',
  defaultRadius: 8,
  radius: { xs: '4px', sm: '6px', md: '8px', lg: '12px', xl: '16px' },
  spacing: { xs: '8px', sm: '12px', md: '16px', lg: '24px', xl: '32px' },
  fontFamily: "'Inter Variable', system-ui, -apple-system, 'Segoe UI', sans-serif",
  fontFamilyMonospace:
    "ui-monospace, 'SF Mono', 'Cascadia Mono', 'JetBrains Mono', Menlo, Consolas, monospace",
  // Mantine takes `sm` for fields and buttons: everything people read has 14 px, hints 12 px.
  fontSizes: { xs: '12px', sm: '14px', md: '14px', lg: '16px', xl: '20px' },
  lineHeights: { xs: '1.4', sm: '1.5', md: '1.5', lg: '1.5', xl: '1.4' },
  headings: {
    fontWeight: '600',
    sizes: {
      h1: { fontSize: '20px', lineHeight: '1.35' },
      h2: { fontSize: '16px', lineHeight: '1.4' },
      h3: { fontSize: '14px', lineHeight: '1.45' },
    },
  },
  // The specification's breakpoints 600, 960, 1264, 1904.
  breakpoints: { xs: '37.5em', sm: '60em', md: '79em', lg: '119em', xl: '160em' },
  shadows: {
    xs: '0 1px 2px rgba(16, 24, 32, 0.05)',
    sm: '0 1px 3px rgba(16, 24, 32, 0.08)',
    md: '0 8px 24px rgba(16, 24, 32, 0.12)',
    lg: '0 8px 24px rgba(16, 24, 32, 0.12)',
    xl: '0 8px 24px rgba(16, 24, 32, 0.12)',
  },
  cursorType: 'pointer',
  respectReducedMotion: true,
  // Plain objects: `Menu.extend` and the like would pull every named component into the first load.
  components: {
    ActionIcon: { defaultProps: { variant: 'subtle', color: 'gray', size: 32 } },
    Badge: {
      defaultProps: { variant: 'light', radius: 'sm', size: 'md' },
      styles: { label: { textTransform: 'none', fontWeight: 550, letterSpacing: 0 } },
    },
    // Mantine's compact buttons have a larger font than their neighbours.
    Button: {
      vars: (_theme: unknown, { size }: { size?: string }) => ({
        root: size === 'compact-md' ? { '--button-fz': 'var(--mantine-font-size-sm)' } : {},
      }),
    },
    CheckboxGroup: { defaultProps: { inputWrapperOrder: questionFirst } },
    Drawer: {
      defaultProps: { overlayProps: { backgroundOpacity: 0.4 }, attributes: dialogHeader },
      styles: { title: { fontSize: 16, fontWeight: 600, lineHeight: 1.4 } },
    },
    InputWrapper: {
      // Help is below the field, so that fields in a row start at the same height.
      defaultProps: { inputWrapperOrder: ['label', 'input', 'description', 'error'] },
      styles: { label: { marginBottom: 4 } },
    },
    Menu: {
      defaultProps: { shadow: 'md', radius: 8, position: 'bottom-end' },
      // Many columns or filters can exceed the screen's height.
      styles: { dropdown: { maxHeight: 'min(480px, 80dvh)', overflowY: 'auto' } },
    },
    Modal: {
      defaultProps: {
        overlayProps: { backgroundOpacity: 0.4 },
        shadow: 'md',
        padding: 'lg',
        attributes: dialogHeader,
      },
      styles: {
        title: { fontSize: 16, fontWeight: 600, lineHeight: 1.4 },
        header: { background: 'var(--surface-raised)' },
        content: { background: 'var(--surface-raised)', border: '1px solid var(--line)' },
      },
    },
    Popover: { defaultProps: { shadow: 'md' } },
    RadioGroup: { defaultProps: { inputWrapperOrder: questionFirst } },
    Autocomplete: { defaultProps: { filter: optionsFilter } },
    MultiSelect: { defaultProps: { filter: optionsFilter } },
    Select: { defaultProps: { comboboxProps: { shadow: 'md' }, filter: optionsFilter } },
    TagsInput: { defaultProps: { filter: optionsFilter } },
    Tooltip: { defaultProps: { openDelay: 400, withArrow: false } },
  },
})

/** Fonts a brand may choose instead; none is loaded. */
const fonts = {
  system: "system-ui, -apple-system, 'Segoe UI', sans-serif",
  serif: "Georgia, 'Times New Roman', serif",
}

/** The theme with the default texts of components in the current language, the user's accent and the brand's font. */
export function themeFor(
  texts: { close: string },
  own?: Accent,
  font?: 'inter' | keyof typeof fonts,
): MantineThemeOverride {
  return {
    ...base,
    ...(font && font !== 'inter' ? { fontFamily: fonts[font] } : {}),
    colors: { ...base.colors, accent: own?.scale ?? accent },
    components: { ...base.components, CloseButton: { defaultProps: { 'aria-label': texts.close } } },
  }
}

/**
 * Soft badges, alerts and buttons of Mantine's named colours in our health colours, which keep 4.5:1 for
 * small text.
 */
const softColors: Record<string, string> = {
  green: 'ok',
  teal: 'ok',
  yellow: 'warning',
  orange: 'warning',
  red: 'error',
  grape: 'invalid',
  violet: 'invalid',
}

function softVariables(): Record<string, string> {
  return Object.fromEntries(
    Object.entries(softColors).flatMap(([color, health]) => [
      // Menu items use this shade for their text.
      [`--mantine-color-${color}-6`, `var(--health-${health})`],
      [`--mantine-color-${color}-light`, `var(--health-${health}-soft)`],
      [
        `--mantine-color-${color}-light-hover`,
        `color-mix(in srgb, var(--health-${health}) 18%, var(--health-${health}-soft))`,
      ],
      [`--mantine-color-${color}-light-color`, `var(--health-${health})`],
      [`--mantine-color-${color}-text`, `var(--health-${health})`],
    ]),
  )
}

/**
 * Variables beyond Mantine's: surfaces, lines and the five health colours, for both modes.
 * Every text colour keeps at least 4.5:1 on `--surface` and `--surface-sunken` (WCAG 2.2 AA).
 */
const platformVariables = {
  variables: {
    '--drawer-width': '260px',
    '--drawer-width-mini': '64px',
    '--toolbar-height': '56px',
  },
  light: {
    ...softVariables(),
    '--mantine-color-blue-light': '#e8f1fb',
    '--mantine-color-blue-light-color': '#17579b',
    '--mantine-color-placeholder': '#6b757d',
    '--mantine-color-default-border': '#cfd5da',
    '--mantine-color-error': '#c92a2a',
    '--mantine-color-accent-light': '#e6f4f6',
    '--mantine-color-accent-light-hover': '#d5ecf0',
    '--mantine-color-accent-light-color': '#0a6475',
    '--mantine-color-gray-text': '#48525a',
    '--mantine-color-gray-light': '#eef0f2',
    '--mantine-color-gray-light-color': '#48525a',
    '--surface': '#ffffff',
    '--surface-sunken': '#f7f8f9',
    '--surface-raised': '#ffffff',
    '--line': '#e6e9ec',
    '--line-strong': '#cfd5da',
    '--text': '#1a2025',
    '--text-dimmed': '#5f6a73',
    '--accent': '#0b7285',
    '--accent-soft': '#e6f4f6',
    '--on-accent': '#ffffff',
    '--row-hover': '#f5f7f8',
    '--row-selected': '#e9f5f7',
    '--health-ok': '#237a3b',
    '--health-ok-soft': '#e7f5eb',
    '--health-warning': '#975a00',
    '--health-warning-soft': '#fdf2de',
    '--health-warning-fill': '#ef9f1a',
    '--health-error': '#c02626',
    '--health-error-soft': '#fdecec',
    '--health-unknown': '#5f6a73',
    '--health-unknown-soft': '#eef0f2',
    '--health-invalid': '#7a3ea8',
    '--health-invalid-soft': '#f4ebfb',
    '--float-shadow': '0 8px 24px rgba(16, 24, 32, 0.12)',
  },
  dark: {
    ...softVariables(),
    '--mantine-color-blue-light': '#13263b',
    '--mantine-color-blue-light-color': '#8fc3f7',
    '--mantine-color-placeholder': '#8a959e',
    '--mantine-color-default-border': '#363f47',
    '--mantine-color-error': '#ff8787',
    '--mantine-color-anchor': '#5bd3e2',
    '--mantine-color-accent-light': '#12313a',
    '--mantine-color-accent-light-hover': '#173d48',
    '--mantine-color-accent-light-color': '#7fdfeb',
    '--mantine-color-accent-outline': '#3bc9db',
    '--mantine-color-gray-text': '#c0c8ce',
    '--mantine-color-gray-light': '#22292e',
    '--mantine-color-gray-light-hover': '#2b3339',
    '--mantine-color-gray-light-color': '#c0c8ce',
    '--surface': '#101315',
    '--surface-sunken': '#0c0f11',
    '--surface-raised': '#191e22',
    '--line': '#252b31',
    '--line-strong': '#363f47',
    '--text': '#e1e6ea',
    '--text-dimmed': '#98a3ac',
    '--accent': '#3bc9db',
    '--accent-soft': '#12313a',
    '--on-accent': '#05272d',
    '--mantine-primary-color-contrast': '#05272d',
    '--row-hover': '#161a1e',
    '--row-selected': '#0f2126',
    '--health-ok': '#69cf85',
    '--health-ok-soft': '#12291a',
    '--health-warning': '#f2b654',
    '--health-warning-soft': '#2e230f',
    '--health-warning-fill': '#f2b654',
    '--health-error': '#ff8080',
    '--health-error-soft': '#331717',
    '--health-unknown': '#a3adb5',
    '--health-unknown-soft': '#22282d',
    '--health-invalid': '#cf9df2',
    '--health-invalid-soft': '#291a36',
    '--float-shadow': '0 8px 28px rgba(0, 0, 0, 0.55)',
  },
}

/** The same with a user's accent. */
export function cssVariablesFor(own?: Accent): CSSVariablesResolver {
  const { variables, light, dark } = platformVariables
  return () =>
    own === undefined
      ? platformVariables
      : {
          variables,
          light: { ...light, ...accentVariables(own.light) },
          dark: {
            ...dark,
            ...accentVariables(own.dark),
            '--mantine-color-anchor': own.dark.strong,
            '--mantine-color-accent-outline': own.dark.strong,
            '--mantine-primary-color-contrast': own.dark.on,
          },
        }
}

function accentVariables({ strong, soft, softHover, row, on }: Accent['light']): Record<string, string> {
  return {
    '--accent': strong,
    '--accent-soft': soft,
    '--on-accent': on,
    '--row-selected': row,
    '--mantine-color-accent-light': soft,
    '--mantine-color-accent-light-hover': softHover,
    '--mantine-color-accent-light-color': strong,
  }
}
