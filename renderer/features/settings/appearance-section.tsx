import type { Settings } from '../../../contract/settings.ts';
import { Card } from '../../ui/card.tsx';
import { Checkbox } from '../../ui/checkbox.tsx';
import { SegmentedControl } from '../../ui/segmented-control.tsx';
import { Select } from '../../ui/select.tsx';
import { numberProblem } from './number-text.ts';
import { SavedTextField } from './saved-text-field.tsx';
import { zoomOptions } from './zoom-options.ts';
import type { Saver } from './use-saver.ts';
import styles from './settings.module.css';

const themes = [
  { value: 'system', label: 'As the System' },
  { value: 'light', label: 'Light' },
  { value: 'dark', label: 'Dark' },
] as const;

const fontSizes = { least: 8, most: 32 };
const scrollbacks = { least: 100, most: 100_000 };

/** How the window and its terminals look. */
export function AppearanceSection({
  settings,
  saver,
}: {
  readonly settings: Settings;
  readonly saver: Saver;
}) {
  const { terminal } = settings;
  return (
    <>
      <Card title="Window">
        <div className={styles['form']}>
          <SegmentedControl
            label="Theme"
            value={settings.theme}
            options={themes}
            onChange={(theme) => void saver.save('Theme', { theme })}
          />
          <div className={styles['narrow']}>
            <Select
              label="Zoom"
              value={String(Math.round(settings.zoom * 100))}
              options={zoomOptions(settings.zoom)}
              onChange={(percent) => void saver.save('Zoom', { zoom: Number(percent) / 100 })}
            />
          </div>
          <Checkbox
            label="Reduce motion"
            hint="Nothing fades or slides. The system’s own setting counts as well."
            checked={settings.reduceMotion}
            onChange={(reduceMotion) => void saver.save('Motion', { reduceMotion })}
          />
        </div>
      </Card>
      <Card title="Terminal">
        <div className={styles['form']}>
          <div className={styles['numbers']}>
            <div className={styles['narrow']}>
              <SavedTextField
                label="Font size"
                value={String(terminal.fontSize)}
                hint="Pixels at 100 %, 8 to 32"
                problem={numberProblem(fontSizes)}
                onSave={(text) => saver.save('Font size', { terminal: { fontSize: Number(text) } })}
              />
            </div>
            <div className={styles['narrow']}>
              <SavedTextField
                label="Scrollback"
                value={String(terminal.scrollbackLines)}
                hint="Lines, 100 to 100,000"
                problem={numberProblem(scrollbacks)}
                onSave={(text) => saver.save('Scrollback', { terminal: { scrollbackLines: Number(text) } })}
              />
            </div>
          </div>
          <Checkbox
            label="Copy what is selected"
            hint="As soon as the selection ends, without a key."
            checked={terminal.copyOnSelect}
            onChange={(copyOnSelect) => void saver.save('Copy on select', { terminal: { copyOnSelect } })}
          />
          <Checkbox
            label="Screen reader"
            hint="Terminals also write what they show for a screen reader, which makes them slower."
            checked={terminal.screenReader}
            onChange={(screenReader) => void saver.save('Screen reader', { terminal: { screenReader } })}
          />
        </div>
      </Card>
    </>
  );
}
