package modelserver

import (
	"net/url"
	"strconv"
	"strings"
)

// llamaCpp asks llama.cpp's server (b21e4de, August 2026). Its n_ctx is that of one slot. In
// front of several models, it answers for the one that the query names.
func llamaCpp(c *inquiry) int {
	var props struct {
		Settings struct {
			Context int `json:"n_ctx"`
		} `json:"default_generation_settings"`
	}
	c.get("/props?model="+url.QueryEscape(c.target.Model), &props)
	return max(0, props.Settings.Context)
}

// vLLM asks vLLM (a014e35, August 2026), and SGLang, which says it in the same place. An
// adapter has the window of the model that it was made for.
func vLLM(c *inquiry) int {
	var list struct {
		Data []struct {
			ID     string `json:"id"`
			Parent string `json:"parent"`
			Window int    `json:"max_model_len"`
		} `json:"data"`
	}
	c.get("/v1/models", &list)
	if len(list.Data) == 1 {
		return max(0, list.Data[0].Window)
	}
	windows, parent := map[string]int{}, ""
	for _, m := range list.Data {
		windows[m.ID] = m.Window
		if m.ID == c.target.Model {
			parent = m.Parent
		}
	}
	return max(0, windows[c.target.Model], windows[parent])
}

// lmStudio asks LM Studio (REST API v0, 0.3.6 and later). Of a model that is not loaded it
// tells only how large a window can be.
func lmStudio(c *inquiry) int {
	var list struct {
		Data []struct {
			ID     string `json:"id"`
			State  string `json:"state"`
			Loaded int    `json:"loaded_context_length"`
		} `json:"data"`
	}
	c.get("/api/v0/models", &list)
	for _, m := range list.Data {
		if m.ID != c.target.Model {
			continue
		}
		if m.State == "not-loaded" {
			c.sure = false
		}
		return max(0, m.Loaded)
	}
	return 0
}

// ollamaDefault is the smallest window that Ollama gives a model for which none is set.
const ollamaDefault = 4096

// ollama asks Ollama (fb30760, August 2026). The window of a model is that of its file, else
// the server's, which depends on the machine: it is known once the model is loaded. The
// client's request would load the model, too.
func ollama(c *inquiry) int {
	running, ok := c.running()
	if !ok {
		return 0
	}
	var show struct {
		Parameters string         `json:"parameters"`
		Remote     string         `json:"remote_host"`
		Info       map[string]any `json:"model_info"`
	}
	if !c.post("/api/show", map[string]string{"model": c.target.Model}, &show, timeout) {
		return running
	}
	trained := 0
	for name, value := range show.Info {
		n, _ := value.(float64)
		if architecture, ok := strings.CutSuffix(name, ".context_length"); ok && !strings.Contains(architecture, ".") {
			trained = int(n)
		}
	}
	if show.Remote != "" {
		return trained
	}
	set := numCtx(show.Parameters)
	if running == 0 && set == 0 && !c.target.DryRun {
		var loaded struct{}
		if c.post("/api/generate", map[string]any{"model": c.target.Model, "stream": false}, &loaded, loading) {
			running, _ = c.running()
		}
	}
	switch {
	case set > 0:
		// A model that another client has loaded with other options is loaded again.
		return least(set, trained)
	case running > 0:
		return running
	}
	c.sure = false
	return least(ollamaDefault, trained)
}

// running returns the window of a model that Ollama has loaded; 0 if it has not. It reports
// false if the server is no Ollama.
func (c *inquiry) running() (int, bool) {
	var list struct {
		Models *[]struct {
			Name   string `json:"name"`
			Window int    `json:"context_length"`
		} `json:"models"`
	}
	if !c.get("/api/ps", &list) || list.Models == nil {
		return 0, false
	}
	for _, m := range *list.Models {
		if strings.EqualFold(strings.TrimSuffix(m.Name, ":latest"), strings.TrimSuffix(c.target.Model, ":latest")) {
			return max(0, m.Window), true
		}
	}
	return 0, true
}

// numCtx returns the window that the parameters of a model set; 0 if they set none.
func numCtx(parameters string) int {
	for line := range strings.Lines(parameters) {
		if f := strings.Fields(line); len(f) == 2 && f[0] == "num_ctx" {
			n, _ := strconv.Atoi(f[1])
			return max(0, n)
		}
	}
	return 0
}

// least returns the smaller of a window and what the model was trained for, if that is known.
func least(window, trained int) int {
	if trained > 0 {
		return min(window, trained)
	}
	return window
}
